import type { RequestId } from '@modelcontextprotocol/server'
import type { Fault, FaultKind } from '../../../lib/result.ts'

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

export const rpcCode = { parse: -32700, invalidRequest: -32600, refused: -32000, noSuchConnection: -32001 } as const

export type Refusal = { status: number; code: number; message: string; id?: RequestId | null; data?: unknown }

/** An error of the transport: JSON-RPC in the body, so that every client can show it. */
export function refuse(
  { status, code, message, id = null, data }: Refusal,
  more: Record<string, string> = {},
): Response {
  const error = { code, message, ...(data !== undefined && { data }) }
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...more },
  })
}

export function refuseFault(fault: Fault, id: RequestId | null = null): Response {
  const { code, message, hint, details } = fault
  const more: Record<string, string> = {}
  if (fault.kind === 'limited') more['retry-after'] = `${Number(details?.['retryAfter'] ?? 60)}`
  if (fault.kind === 'too_large') more['connection'] = 'close'
  const told = hint === undefined ? message : `${message} ${hint}`
  const rpc = code === 'malformed_json' ? rpcCode.parse : rpcCode.refused
  return refuse({ status: statusOf[fault.kind], code: rpc, message: told, id, data: { code, ...details } }, more)
}

export const noSuchConnection = (): Response =>
  refuse({
    status: 404,
    code: rpcCode.noSuchConnection,
    message: 'Unknown or ended MCP session. Send initialize to start a new one.',
  })
