import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import type { Clock } from '../../../lib/clock.ts'
import { newStreamId, parseEventId, type EventStore } from '../event-store.ts'
import { replayedRequest, requestRecord } from './request-record.ts'
import { createSseWriter, sseHeaders, type SseWriter } from './sse-writer.ts'
import { noSuchConnection, refuse, rpcCode } from './refuse.ts'
import { resumeStream } from './resume.ts'
import { prime, say, type Stream } from './stream.ts'

/** The messages of one POST, and the text they were parsed from. */
export type Posted = { readonly messages: readonly JSONRPCMessage[]; readonly text: string; readonly request: Request }

/** One client of the 2025 revisions: a transport whose streams outlive their readers. */
export type McpConnection = {
  readonly id: string
  readonly transport: Transport
  /** The revision agreed on in `initialize`. */
  version(): string | null
  supported(): readonly string[]
  /** Replays the client's `initialize` after a restart; nobody reads the reply. */
  play(params: JSONRPCRequest['params']): Promise<void>
  post(posted: Posted, version: string): Response
  /** Opens the stream for messages that belong to no request. */
  listen(version: string, reader: AbortSignal): Response
  resume(lastEventId: string, reader: AbortSignal): Promise<Response>
  /** Number of tool calls with a reader. */
  held(): number
  /** Whether a request runs, or the standalone stream has a reader. */
  busy(): boolean
  /** Whether any stream has a reader. */
  read(): boolean
  keepAlive(): void
  /** Ends calls whose reader left before this time. Repeated calls start again. */
  abandon(goneBefore: number): void
  close(): void
}

const primedSince = '2025-11-25'
/** Calls without a reader that keep running, per connection. */
const mostGone = 1000

export function createConnection(deps: {
  id: string
  store: EventStore
  clock: Clock
  /** The reader of the standalone stream left. */
  left?(): void
}): McpConnection {
  const { id, store, clock } = deps
  const streams = new Map<string, Stream>()
  const requests = new Map<RequestId, { stream: Stream; method: string }>()
  let standalone: Stream | null = null
  let version: string | null = null
  let supported: readonly string[] = []
  let played: { id: RequestId; done(): void } | null = null
  let closed = false
  const headers = { ...sseHeaders, 'mcp-session-id': id }

  const transport: Transport = {
    sessionId: id,
    start: async () => {},
    close: async () => close(),
    setProtocolVersion: (agreed) => {
      version = agreed
    },
    setSupportedProtocolVersions: (versions) => {
      supported = versions
    },
    send: async (message, options) => {
      const answers = !('method' in message)
      const related = answers ? message.id : options?.relatedRequestId
      if (answers && played && related === played.id) return played.done()
      if (related === undefined) {
        if (standalone && !answers) say(standalone, message, store)
        return
      }
      // No stream: the request was answered, cancelled or abandoned.
      const stream = requests.get(related)?.stream
      if (!stream) return
      say(stream, message, store)
      const taken = stream.writer?.open === true
      if (answers) settle(related)
      // Stored for a reader that resumes, but not delivered.
      if (answers && !taken) throw new Error('no reader for this reply')
    },
  }

  function settle(request: RequestId): void {
    const stream = requests.get(request)?.stream
    requests.delete(request)
    stream?.waiting?.delete(request)
    if (!stream || stream.waiting?.size !== 0) return
    streams.delete(stream.streamId)
    if (stream.kept) store.answered(stream)
    stream.writer?.end()
  }

  /** Attaches a reader to a stream, and ends the previous one. */
  function attach(stream: Stream, reader: AbortSignal): SseWriter {
    stream.writer?.end()
    const writer = createSseWriter(() => {
      if (stream.writer !== writer) return
      stream.writer = null
      stream.goneAt = clock.now()
      if (stream.waiting === null && !closed) deps.left?.()
    }, reader)
    stream.writer = writer
    stream.goneAt = null
    return writer
  }

  function detach(stream: Stream | null): void {
    const outlet = stream?.writer
    if (!stream || !outlet) return
    stream.writer = null
    stream.goneAt = clock.now()
    outlet.end()
  }

  function open(asked: readonly JSONRPCRequest[], text: string, kept: boolean): Stream {
    const ids = asked.map((request) => request.id)
    const waiting = new Set(ids)
    const streamId = newStreamId(ids)
    return { connectionId: id, streamId, seq: 0, writer: null, waiting, asked: text, kept, goneAt: null }
  }

  /** Passes a stream's requests to the server. */
  function dispatch(stream: Stream, asked: readonly JSONRPCRequest[], request?: Request): void {
    streams.set(stream.streamId, stream)
    for (const message of asked) requests.set(message.id, { stream, method: message.method })
    for (const message of asked) {
      transport.onmessage?.(message, {
        ...(request && { request }),
        closeSSEStream: () => detach(stream),
        closeStandaloneSSEStream: () => detach(standalone),
      })
    }
  }

  function takeOver(asked: readonly JSONRPCRequest[], { text, request }: Posted, revision: string): Response | null {
    const known = asked.map((request) => requests.get(request.id)?.stream).find((stream) => stream !== undefined)
    if (!known) return null
    if (known.asked !== text) return idInUse(asked[0]?.id)
    const outlet = attach(known, request.signal)
    if (known.kept && revision >= primedSince) prime(known)
    return new Response(outlet.body, { headers })
  }

  function cancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return
    const request = message.params?.['requestId']
    if (typeof request === 'string' || typeof request === 'number') settle(request)
  }

  function close(): void {
    if (closed) return
    closed = true
    for (const stream of [...streams.values(), ...(standalone ? [standalone] : [])]) stream.writer?.end()
    streams.clear()
    requests.clear()
    standalone = null
    transport.onclose?.()
  }

  return {
    id,
    transport,
    version: () => version,
    supported: () => supported,
    async play(params) {
      const jsonrpc = '2.0'
      await new Promise<void>((resolve) => {
        played = { id: 'again', done: resolve }
        transport.onmessage?.({ jsonrpc, id: 'again', method: 'initialize', params })
      })
      played = null
      transport.onmessage?.({ jsonrpc, method: 'notifications/initialized' })
    },
    post(posted, revision) {
      const { messages, text, request } = posted
      const asked = messages.filter((message) => isJSONRPCRequest(message))
      const again = takeOver(asked, posted, revision)
      if (again) return again
      for (const message of messages) {
        if (isJSONRPCRequest(message)) continue
        transport.onmessage?.(message, { request })
        cancelled(message)
      }
      if (asked.length === 0) return new Response(null, { status: 202 })
      const kept = asked.some(({ method }) => method !== 'initialize' && method !== 'ping')
      const stream = open(asked, text, kept)
      const outlet = attach(stream, request.signal)
      if (kept) store.keep(stream, 0, requestRecord(text, request))
      if (kept && revision >= primedSince) prime(stream)
      dispatch(stream, asked, request)
      return new Response(outlet.body, { headers })
    },
    listen(revision, reader) {
      detach(standalone)
      standalone = { ...open([], '', true), waiting: null }
      const outlet = attach(standalone, reader)
      if (revision >= primedSince) prime(standalone)
      return new Response(outlet.body, { headers })
    },
    async resume(lastEventId, reader) {
      const place = parseEventId(lastEventId)
      if (!place) return badEventId(lastEventId)
      return store.read({ connectionId: id, streamId: place.streamId }, (events) => {
        if (closed) return noSuchConnection()
        const live = standalone?.streamId === place.streamId ? standalone : streams.get(place.streamId)
        const { stream, asked } = resumeStream({ connectionId: id, ...place }, events, live, (other) =>
          requests.has(other),
        )
        const outlet = attach(stream, reader)
        for (const text of asked.frames) outlet.write(text)
        if (asked.standalone && standalone !== stream) {
          detach(standalone)
          standalone = stream
        }
        if (asked.again.length > 0) dispatch(stream, asked.again, replayedRequest(asked.callKey))
        else if (!live && !asked.standalone) outlet.end()
        return new Response(outlet.body, { headers })
      })
    },
    held: () =>
      [...requests.values()].filter(({ stream, method }) => method === 'tools/call' && stream.writer?.open).length,
    busy: () => requests.size > 0 || standalone?.writer?.open === true,
    read: () =>
      standalone?.writer?.open === true || [...streams.values()].some((stream) => stream.writer?.open === true),
    keepAlive() {
      for (const stream of streams.values()) stream.writer?.keepAlive()
      standalone?.writer?.keepAlive()
    },
    abandon(goneBefore) {
      const gone = [...streams.values()].filter((stream) => stream.goneAt !== null)
      const tooMany = gone.length - mostGone
      for (const [index, stream] of gone.entries()) {
        if (index >= tooMany && (stream.goneAt ?? 0) > goneBefore) continue
        streams.delete(stream.streamId)
        for (const requestId of stream.waiting ?? []) {
          requests.delete(requestId)
          transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
        }
      }
    },
    close,
  }
}

const idInUse = (id: RequestId | undefined): Response =>
  refuse({
    status: 400,
    code: rpcCode.invalidRequest,
    message: `The id ${JSON.stringify(id)} belongs to a request that is still being answered. Use another id.`,
    id: id ?? null,
  })

const badEventId = (id: string): Response =>
  refuse({
    status: 400,
    code: rpcCode.refused,
    message: `Unknown Last-Event-ID: ${id.slice(0, 40)}. Send the id: field of the last event.`,
  })
