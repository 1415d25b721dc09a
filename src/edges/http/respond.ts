import type { Fault, FaultKind } from '../../lib/result.ts'
import { isLongAnswer, jsonPieces, streamOf } from './chunked-json.ts'

const statusOf: Readonly<Record<FaultKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  limited: 429,
  unavailable: 503,
}

/** Codes whose contract names another status than their kind. */
const statusOfCode: Readonly<Record<string, number>> = {
  agent_unavailable: 502,
  agent_failed: 502,
  agent_needs_login: 502,
  agent_refused: 502,
  agent_gone: 502,
  unsupported_media_type: 415,
  method_not_allowed: 405,
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

export const json = (value: unknown, status: number, headers: Record<string, string> = {}): Response =>
  // As bytes: Node makes three times as much room for text before it is written.
  new Response(Buffer.from(JSON.stringify(value)), {
    status,
    headers: { ...jsonHeaders, ...headers },
  })

/** However long: what has long lists in it is written piece by piece. */
export const anyJson = (value: unknown, status: number, headers: Record<string, string>): Response =>
  isLongAnswer(value)
    ? new Response(streamOf(jsonPieces(value)), { status, headers: { ...jsonHeaders, ...headers } })
    : json(value, status, headers)

/** The one error shape. */
export function failed(fault: Fault, requestId: string, more: Record<string, string> = {}): Response {
  const { code, message, hint, details } = fault
  const headers: Record<string, string> = { 'x-request-id': requestId, ...more }
  if (fault.kind === 'limited') headers['retry-after'] = `${Number(fault.details?.['retryAfter'] ?? 60)}`
  if (fault.kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer realm="signalbox"'
  if (fault.kind === 'too_large') headers['connection'] = 'close'
  return json({ error: { code, message, hint, details } }, statusOfCode[code] ?? statusOf[fault.kind], headers)
}
