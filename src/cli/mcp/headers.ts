import { isRecord } from '../../lib/parse-json.ts'
import type { Message } from './messages.ts'

/** Where a message of 2026-07-28 says its revision: such a message belongs to no MCP session. */
const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** Which of its parameters a call repeats in the header Mcp-Name. */
const namedBy = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** The connection as the server knows it: null where there is no MCP session (yet). */
export type Connection = { readonly mcpSession: string | null; readonly version: string | null }

export function claimedVersion(message: Message): string | null {
  if (message.kind === 'response') return null
  const meta = message.params['_meta']
  const version = isRecord(meta) ? meta[versionKey] : undefined
  return typeof version === 'string' ? version : null
}

/** What HTTP wants to hear beside the body; all of it follows from the body and the connection. */
export function headersOf(message: Message, connection: Connection): Record<string, string> {
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

export function connectionHeaders({ mcpSession, version }: Connection): Record<string, string> {
  return {
    ...(mcpSession === null ? {} : { 'mcp-session-id': mcpSession }),
    ...(version === null ? {} : { 'mcp-protocol-version': version }),
  }
}

/** A header holds visible ASCII; anything else, and what looks like our marks, is written in Base64 between marks. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
