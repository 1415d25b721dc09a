import type { Fault, FaultKind } from '../lib/result.ts'

const statusOfKind: Readonly<Record<FaultKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  limited: 429,
  unavailable: 503,
}

/** Codes whose status differs from that of their kind. */
const statusOfCode: Readonly<Record<string, number>> = {
  agent_unavailable: 502,
  agent_failed: 502,
  agent_needs_login: 502,
  agent_refused: 502,
  agent_gone: 502,
  unsupported_media_type: 415,
  method_not_allowed: 405,
}

/** The HTTP status of a fault. */
export const faultStatus = ({ kind, code }: Pick<Fault, 'kind' | 'code'>): number =>
  statusOfCode[code] ?? statusOfKind[kind]

/** Headers for a fault. */
export function faultHeaders({ kind, details }: Fault): Record<string, string> {
  if (kind === 'limited') return { 'retry-after': `${Number(details?.['retryAfter'] ?? 60)}` }
  return kind === 'too_large' ? { connection: 'close' } : {}
}
