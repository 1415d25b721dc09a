import type { RequestId } from '@modelcontextprotocol/server'
import { faultHeaders, faultStatus } from '../../../client/fault-status.ts'
import type { Fault } from '../../../lib/result.ts'

export const rpcCode = { parse: -32700, invalidRequest: -32600, refused: -32000, noSuchConnection: -32001 } as const

export type Refusal = { status: number; code: number; message: string; id?: RequestId | null; data?: unknown }

/** A transport error, as JSON-RPC so that every client can show it. */
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
  const told = hint === undefined ? message : `${message} ${hint}`
  const rpc = code === 'malformed_json' ? rpcCode.parse : rpcCode.refused
  const data = { code, ...details }
  return refuse({ status: faultStatus(fault), code: rpc, message: told, id, data }, faultHeaders(fault))
}

export const noSuchConnection = (): Response =>
  refuse({
    status: 404,
    code: rpcCode.noSuchConnection,
    message: 'Unknown or ended MCP session. Send initialize to start a new one.',
  })
