import { randomUUID } from 'node:crypto'
import type { RequestId } from '@modelcontextprotocol/server'
import type { ConnectionRecords, StreamEvent, StreamName } from '../../domain/connection/records.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'
import { isList, jsonOrNull } from '../../lib/parse-json.ts'

/** Stores stream events, so that clients can resume. Sending never waits for the disk. */
export type EventStore = {
  /** Readable at once, on disk shortly after. */
  keep(stream: StreamName, seq: number, message: string): void
  /** The stream's request needs no reply any more. */
  answered(stream: StreamName): void
  /** Reads all events of a stream, with no gap to later ones. */
  read<T>(stream: StreamName, take: (events: readonly StreamEvent[]) => T): Promise<T>
  flush(): Promise<void>
  close(): Promise<void>
}

const writtenWithinMs = 100
const slowestTryMs = 10_000
/** While the database fails, older events beyond this number are dropped. */
const mostPending = 20_000

export function createEventStore(deps: { records: ConnectionRecords; clock: Clock; log: Logger }): EventStore {
  const { records, clock, log } = deps
  const pending = new Map<string, StreamEvent>()
  const settled = new Map<string, StreamName>()
  let writing: ReadonlySet<StreamEvent> = new Set()
  let timer: Disposable | null = null
  let closed = false
  let failures = 0
  // One read or write at a time: an event is either pending or in the database.
  const queue = createSerialQueue()

  function soon(): void {
    if (closed) return
    const delay = Math.min(writtenWithinMs * 2 ** failures, slowestTryMs)
    timer ??= clock.at(clock.now() + delay, () => {
      timer = null
      void queue.run(write)
    })
  }

  async function write(): Promise<void> {
    if (pending.size === 0 && settled.size === 0) return
    const events = [...pending.values()]
    const answers = [...settled.values()]
    writing = new Set(events)
    const [wrong] = (await tryToWrite(events, answers)) ? [] : await apart(events, answers)
    writing = new Set()
    failures = wrong ? failures + 1 : 0
    if (wrong) soon()
  }

  async function tryToWrite(events: readonly StreamEvent[], answers: readonly StreamName[]): Promise<boolean> {
    try {
      await records.appendEvents(events, answers)
    } catch (error) {
      log.warn({ events: events.length, error: String(error) }, 'failed to write events of MCP streams')
      return false
    }
    done(events, answers)
    return true
  }

  function done(events: readonly StreamEvent[], answers: readonly StreamName[]): void {
    for (const event of events) pending.delete(keyOf(event, event.seq))
    for (const stream of answers) if (settled.get(keyOf(stream, 0)) === stream) settled.delete(keyOf(stream, 0))
  }

  /** Writes each connection separately, so that one without a record does not block the others. Gives those to retry. */
  async function apart(events: readonly StreamEvent[], answers: readonly StreamName[]): Promise<string[]> {
    const ids = [...new Set([...events, ...answers].map(({ connectionId }) => connectionId))]
    const of = (id: string) =>
      [
        events.filter(({ connectionId }) => connectionId === id),
        answers.filter(({ connectionId }) => connectionId === id),
      ] as const
    const wrong: string[] = []
    for (const id of ids) {
      if (ids.length > 1 && (await tryToWrite(...of(id)))) continue
      // Drop events of a connection without a record; retry the others.
      const known = await records.find(id).catch(() => 'unknown')
      if (known === undefined) done(...of(id))
      else wrong.push(id)
    }
    letGo()
    return wrong
  }

  function letGo(): void {
    for (const key of pending.keys()) {
      if (pending.size <= mostPending) return
      pending.delete(key)
    }
  }

  return {
    keep({ connectionId, streamId }, seq, message) {
      const event = { connectionId, streamId, seq, message, at: iso(clock.now()) }
      pending.set(keyOf(event, seq), event)
      soon()
    },
    answered(stream) {
      const key = keyOf(stream, 0)
      const question = pending.get(key)
      pending.delete(key)
      // Most requests are answered before they are written.
      if (question && !writing.has(question)) return
      settled.set(key, stream)
      soon()
    },
    read: (stream, take) =>
      queue.run(async () => {
        const rows = await records.eventsFrom(stream, 0)
        const found = new Map(rows.map((event) => [event.seq, event]))
        for (const event of pending.values()) {
          if (event.connectionId === stream.connectionId && event.streamId === stream.streamId)
            found.set(event.seq, event)
        }
        if (settled.has(keyOf(stream, 0))) found.delete(0)
        return take([...found.values()].toSorted((a, b) => a.seq - b.seq))
      }),
    flush: () => queue.run(write),
    async close() {
      closed = true
      timer?.[Symbol.dispose]()
      await queue.run(write)
    },
  }
}

const keyOf = ({ connectionId, streamId }: StreamName, seq: number): string => `${connectionId} ${streamId} ${seq}`

const longestIds = 150

/** Contains the ids of its requests, so that even an unknown stream can report that its call is lost. */
export function newStreamId(requests: readonly RequestId[]): string {
  const random = randomUUID()
  const ids = Buffer.from(JSON.stringify(requests)).toString('base64url')
  return requests.length === 0 || ids.length > longestIds ? random : `${random}.${ids}`
}

export function requestsOf(streamId: string): RequestId[] {
  const ids = jsonOrNull(Buffer.from(streamId.split('.')[1] ?? '', 'base64url').toString(), isList) ?? []
  return ids.filter((id) => typeof id === 'string' || typeof id === 'number')
}

export const eventIdOf = (streamId: string, seq: number): string => `${streamId}~${seq}`

export function parseEventId(id: string): { streamId: string; seq: number } | null {
  const parts = /^([\w.-]{8,250})~(\d{1,9})$/.exec(id)
  return parts?.[1] === undefined ? null : { streamId: parts[1], seq: Number(parts[2]) }
}
