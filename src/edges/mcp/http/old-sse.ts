import {
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type RequestId,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server'
import type { SessionId } from '../../../domain/session/id.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { JsonBody } from './json-body.ts'
import type { Link } from '../link.ts'
import type { McpCaller, TransportSessions } from '../sessions.ts'
import { createSseWriter, sseHeaders, type SseWriter } from './sse-writer.ts'
import { noSuchConnection, refuse, refuseFault, rpcCode } from './refuse.ts'

type SseClient = {
  transport: Transport
  writer: SseWriter
  link: Link
  caller: McpCaller
  calls: Set<RequestId>
  end(): void
}

/** The transport of 2024: one stream to the client, messages to us by POST. Both end with the stream. */
export function createOldSse(deps: { serverFor(link: Link): Server; sessions: TransportSessions }) {
  const lines = new Map<string, SseClient>()

  function open(id: string, link: Omit<Link, 'closing'>, caller: McpCaller, reader: AbortSignal): SseClient {
    const closing = new AbortController()
    const calls = new Set<RequestId>()
    const end = () => {
      if (!lines.delete(id)) return
      closing.abort()
      writer.end()
      transport.onclose?.()
    }
    const writer = createSseWriter(end, reader)
    const transport: Transport = {
      sessionId: id,
      start: async () => {},
      close: async () => end(),
      async send(message) {
        if (!('method' in message) && message.id !== undefined) calls.delete(message.id)
        writer.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
      },
    }
    return { transport, writer, link: { ...link, closing: closing.signal }, caller, calls, end }
  }

  return {
    async get(request: Request, caller: McpCaller): Promise<Response> {
      const attached = await deps.sessions.attach(caller, new URL(request.url).searchParams)
      if (!attached.ok) return refuseFault(attached.fault)
      const id = newRandomId<string>()
      const line = open(id, { ...attached.value, connectionId: id, callKey: null }, caller, request.signal)
      lines.set(id, line)
      await deps.serverFor(line.link).connect(line.transport)
      line.writer.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`)
      return new Response(line.writer.body, { headers: sseHeaders })
    },
    async post(request: Request, caller: McpCaller, { value }: JsonBody): Promise<Response> {
      const line = lines.get(new URL(request.url).searchParams.get('sessionId') ?? '')
      if (!line || line.caller.userId !== caller.userId || line.caller.tokenId !== caller.tokenId)
        return noSuchConnection()
      let message: JSONRPCMessage
      try {
        message = parseJSONRPCMessage(value)
      } catch {
        return refuse({ status: 400, code: rpcCode.invalidRequest, message: 'The body is not a JSON-RPC 2.0 message.' })
      }
      if ('method' in message && 'id' in message && message.method === 'tools/call') line.calls.add(message.id)
      line.transport.onmessage?.(message, { request })
      return new Response('Accepted', { status: 202 })
    },
    held() {
      const calls = new Map<SessionId, number>()
      for (const { link, calls: open } of lines.values())
        if (open.size > 0) calls.set(link.sessionId, (calls.get(link.sessionId) ?? 0) + open.size)
      return calls
    },
    tick() {
      for (const { writer } of lines.values()) writer.keepAlive()
    },
    dropWhere(test: (caller: McpCaller) => boolean) {
      for (const line of lines.values()) if (test(line.caller)) line.end()
    },
    close() {
      for (const line of lines.values()) line.end()
    },
  }
}
