import {
  isJSONRPCRequest,
  parseJSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { StreamEvent } from '../../../domain/connection/records.ts'
import { requestsOf } from '../event-store.ts'
import { readRequestRecord } from './request-record.ts'
import { rpcCode } from './refuse.ts'
import { frame, type Stream } from './stream.ts'
import { anyJson, ownJson } from '../../../lib/parse-json.ts'

export type StreamPosition = { readonly connectionId: string; readonly streamId: string; readonly seq: number }

export type Resumed = {
  stream: Stream
  asked: {
    /** Events the reader missed. */
    frames: string[]
    /** Unanswered requests from before a restart, to be handled again. */
    again: JSONRPCRequest[]
    /** Their caller's key. */
    callKey: string | null
    standalone: boolean
  }
}

/** What a reader gets that resumes a stream, and which requests to handle again. */
export function resumeStream(
  place: StreamPosition,
  events: readonly StreamEvent[],
  live: Stream | undefined,
  runs: (id: RequestId) => boolean,
): Resumed {
  const missed = events.filter((event) => event.seq > Math.max(0, place.seq))
  const frames = missed.map((event) => frame(place.streamId, event.seq, event.message))
  const named = requestsOf(place.streamId)
  if (live) return { stream: live, asked: { frames, again: [], callKey: null, standalone: live.waiting === null } }
  const { text: question, callKey } = readRequestRecord(events.find((event) => event.seq === 0)?.message ?? '')
  const answered = new Set(events.filter((event) => event.seq > 0).flatMap((event) => answerIn(event.message)))
  const again = requestsIn(question).filter(({ id }) => !answered.has(id) && !runs(id))
  const standalone = named.length === 0 && question === ''
  // Unknown stream: not written before a crash, cancelled, or expired after a day.
  if (events.length === 0 && !standalone) frames.push(...named.map(lost))
  const stream: Stream = {
    connectionId: place.connectionId,
    streamId: place.streamId,
    seq: Math.max(place.seq, events.at(-1)?.seq ?? 0),
    writer: null,
    waiting: standalone ? null : new Set(again.map(({ id }) => id)),
    asked: question,
    kept: true,
    goneAt: null,
  }
  return { stream, asked: { frames, again, callKey, standalone } }
}

function requestsIn(text: string): JSONRPCRequest[] {
  if (text === '') return []
  const value = ownJson(text, 'What was asked', anyJson)
  return (Array.isArray(value) ? value : [value])
    .map((message) => parseJSONRPCMessage(message))
    .filter((message) => isJSONRPCRequest(message))
}

function answerIn(text: string): RequestId[] {
  const message = parseJSONRPCMessage(ownJson(text, 'What was answered', anyJson))
  return 'method' in message || message.id === undefined ? [] : [message.id]
}

const lost = (id: RequestId): string => {
  const message = 'Signalbox has no record of this call: it was cancelled, or sent just before a restart. Call again.'
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error: { code: rpcCode.refused, message } })}\n\n`
}
