import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { eventIdOf, type EventStore } from '../event-store.ts'
import type { SseWriter } from './sse-writer.ts'

/** One line of messages to the client: the answers to one POST, or what belongs to none. */
export type Stream = {
  readonly connectionId: string
  readonly streamId: string
  seq: number
  writer: SseWriter | null
  /** Requests on it that have no answer yet; null on a stream that answers none. */
  readonly waiting: Set<RequestId> | null
  /** What was sent, so that the same sent again is known again. */
  readonly asked: string
  /** Whether it can be resumed. */
  readonly kept: boolean
  /** Since when nobody reads it. */
  goneAt: number | null
}

/** The client may come back for everything from here on. */
export function prime(stream: Stream): void {
  stream.writer?.write(`id: ${eventIdOf(stream.streamId, stream.seq)}\nretry: 1000\ndata: \n\n`)
}

export function say(stream: Stream, message: JSONRPCMessage, store: EventStore): void {
  const text = JSON.stringify(message)
  if (!stream.kept) return stream.writer?.write(`event: message\ndata: ${text}\n\n`)
  stream.seq += 1
  // Progress is worth nothing later.
  if (!('method' in message && message.method === 'notifications/progress')) store.keep(stream, stream.seq, text)
  stream.writer?.write(frame(stream.streamId, stream.seq, text))
}

export const frame = (streamId: string, seq: number, text: string): string =>
  `event: message\nid: ${eventIdOf(streamId, seq)}\ndata: ${text}\n\n`
