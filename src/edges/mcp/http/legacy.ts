import {
  isInitializeRequest,
  isJSONRPCRequest,
  parseJSONRPCMessage,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server'
import type { Result } from '../../../lib/result.ts'
import type { JsonBody } from './json-body.ts'
import type { Connections, OpenConnection } from './connections.ts'
import type { McpCaller, TransportSessions } from '../sessions.ts'
import { noSuchConnection, refuse, refuseFault, rpcCode } from './refuse.ts'

const mostAtOnce = 100
/** The last revision with batches. */
const lastWithBatches = '2025-03-26'

/** The 2025 revisions: a protocol session by header, started with `initialize` and ended with DELETE. */
export function createLegacy(deps: { connections: Connections; sessions: TransportSessions }) {
  const { connections, sessions } = deps

  async function connectionOf(request: Request, caller: McpCaller): Promise<OpenConnection | Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return noConnection()
    const found = await connections.find(id, caller)
    if (!found.ok) return found.fault.code === 'no_such_connection' ? noSuchConnection() : refuseFault(found.fault)
    const { connection } = found.value
    const named = request.headers.get('mcp-protocol-version')
    if (named !== null && !connection.supported().includes(named)) return unknownVersion(named, connection.supported())
    return found.value
  }

  const versionOf = (request: Request, { connection }: OpenConnection): string =>
    request.headers.get('mcp-protocol-version') ?? connection.version() ?? lastWithBatches

  async function begin(request: Request, caller: McpCaller, messages: JSONRPCMessage[], text: string) {
    const [first] = messages
    if (messages.length > 1 || !first) return invalid('initialize must not be part of a batch.')
    if (!isJSONRPCRequest(first) || !isInitializeRequest(first))
      return invalid('initialize needs params with protocolVersion, capabilities and clientInfo.')
    const opened: Result<OpenConnection> = await connections.open(
      caller,
      first.params,
      new URL(request.url).searchParams,
    )
    if (!opened.ok) return refuseFault(opened.fault, first.id)
    return opened.value.connection.post({ messages, text, request }, lastWithBatches)
  }

  /** DELETE by a client without a connection, which names its session. */
  async function leave(caller: McpCaller, query: URLSearchParams): Promise<Response> {
    const known = await sessions.find(caller, query)
    if (!known.ok) return refuseFault(known.fault)
    const others = await connections.openOf(known.value.sessionId)
    if (others === 0) await sessions.goodbye(known.value)
    return new Response(null, { status: 200 })
  }

  return {
    async post(request: Request, caller: McpCaller, { value, text }: JsonBody): Promise<Response> {
      if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream'))
        return notAcceptable('application/json, text/event-stream')
      const batch = Array.isArray(value)
      const messages = messagesIn(batch ? value : [value])
      if (!messages) return invalid('The body is not a JSON-RPC 2.0 message, or a batch of 1 to 100.')
      if (messages.some((message) => 'method' in message && 'id' in message && message.method === 'initialize'))
        return begin(request, caller, messages, text)
      const known = await connectionOf(request, caller)
      if (!('connection' in known)) return known
      const version = versionOf(request, known)
      if (batch && version > lastWithBatches)
        return invalid(`Revision ${version} of MCP has no batches: send each message separately.`)
      return known.connection.post({ messages, text, request }, version)
    },
    async get(request: Request, caller: McpCaller): Promise<Response> {
      if (!accepts(request, 'text/event-stream')) return notAcceptable('text/event-stream')
      const known = await connectionOf(request, caller)
      if (!('connection' in known)) return known
      const last = request.headers.get('last-event-id')
      const { signal } = request
      return last ? known.connection.resume(last, signal) : known.connection.listen(versionOf(request, known), signal)
    },
    async delete(request: Request, caller: McpCaller): Promise<Response> {
      const alone = request.headers.get('mcp-session-id') === null
      const query = new URL(request.url).searchParams
      if (alone && query.has('session_id')) return leave(caller, query)
      const known = await connectionOf(request, caller)
      if (!('connection' in known)) return known
      await connections.end(known)
      return new Response(null, { status: 200 })
    },
  }
}

function messagesIn(values: readonly unknown[]): JSONRPCMessage[] | null {
  if (values.length === 0 || values.length > mostAtOnce) return null
  try {
    return values.map((value) => parseJSONRPCMessage(value))
  } catch {
    return null
  }
}

const accepts = (request: Request, type: string): boolean => {
  const accept = request.headers.get('accept')
  return accept !== null && (accept.includes(type) || accept.includes('*/*'))
}

const invalid = (message: string): Response => refuse({ status: 400, code: rpcCode.invalidRequest, message })

const notAcceptable = (types: string): Response =>
  refuse({ status: 406, code: rpcCode.refused, message: `Not acceptable: send Accept: ${types}` })

const noConnection = (): Response =>
  refuse({
    status: 400,
    code: rpcCode.refused,
    message: 'The Mcp-Session-Id header is missing. Send initialize first, then the Mcp-Session-Id from its response.',
  })

const unknownVersion = (named: string, supported: readonly string[]): Response =>
  refuse({
    status: 400,
    code: rpcCode.refused,
    message: `MCP-Protocol-Version ${named.slice(0, 40)} is not supported. Supported: ${supported.join(', ')}.`,
  })
