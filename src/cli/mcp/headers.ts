import { isRecord } from '../../lib/parse-json.ts'
import type { RpcMessage } from './messages.ts'

/** Field with the revision in messages of 2026-07-28, which belong to no MCP session. */
const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** The parameter that is repeated in the Mcp-Name header, by method. */
const namedBy = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** The connection as the server knows it; null fields if there is no MCP session. */
export type McpConnection = { readonly mcpSession: string | null; readonly version: string | null }

export function claimedVersion(message: RpcMessage): string | null {
  if (message.kind === 'response') return null
  const meta = message.params['_meta']
  const version = isRecord(meta) ? meta[versionKey] : undefined
  return typeof version === 'string' ? version : null
}

/** The HTTP headers for a message. */
export function headersOf(message: RpcMessage, connection: McpConnection): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const version = claimedVersion(message)
  if (version === null || message.kind === 'response') {
    const isFirst = message.kind === 'request' && message.method === 'initialize'
    return isFirst ? headers : { ...headers, ...connectionHeaders(connection) }
  }
  headers['mcp-protocol-version'] = headerValue(version)
  headers['mcp-method'] = headerValue(message.method)
  const name = message.params[namedBy.get(message.method) ?? '']
  if (typeof name === 'string') headers['mcp-name'] = headerValue(name)
  return headers
}

export function connectionHeaders({ mcpSession, version }: McpConnection): Record<string, string> {
  return {
    ...(mcpSession === null ? {} : { 'mcp-session-id': mcpSession }),
    ...(version === null ? {} : { 'mcp-protocol-version': version }),
  }
}

/** Headers hold visible ASCII. Other values, and values that look encoded, are Base64-encoded between markers. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
