import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { eventIdOf, type EventStore } from '../event-store.ts'
import type { SseWriter } from './sse-writer.ts'

/** A stream of messages to the client: the replies to one POST, or the standalone stream. */
export type Stream = {
  readonly connectionId: string
  readonly streamId: string
  seq: number
  writer: SseWriter | null
  /** Its unanswered requests; null for the standalone stream. */
  readonly waiting: Set<RequestId> | null
  /** The request's text, to recognise a repeated POST. */
  readonly asked: string
  /** Whether it can be resumed. */
  readonly kept: boolean
  /** When its reader left. */
  goneAt: number | null
}

/** Sends an event id, from which the client can resume. */
export function prime(stream: Stream): void {
  stream.writer?.write(`id: ${eventIdOf(stream.streamId, stream.seq)}\nretry: 1000\ndata: \n\n`)
}

export function say(stream: Stream, message: JSONRPCMessage, store: EventStore): void {
  const text = JSON.stringify(message)
  if (!stream.kept) return stream.writer?.write(`event: message\ndata: ${text}\n\n`)
  stream.seq += 1
  // Progress is not stored.
  if (!('method' in message && message.method === 'notifications/progress')) store.keep(stream, stream.seq, text)
  stream.writer?.write(frame(stream.streamId, stream.seq, text))
}

export const frame = (streamId: string, seq: number, text: string): string =>
  `event: message\nid: ${eventIdOf(streamId, seq)}\ndata: ${text}\n\n`
