import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../test/support/fake-clock.ts'
import type { ConnectionRecords, StreamEvent, StreamName } from '../../domain/connection/records.ts'
import { silentLogger as log } from '../../lib/log.ts'
import { createEventStore, eventIdOf, newStreamId, parseEventId, requestsOf } from './event-store.ts'

const stream: StreamName = { connectionId: 'c', streamId: 'sssssssss' }
const other: StreamName = { connectionId: 'c', streamId: 'ooooooooo' }

function memory() {
  const rows: StreamEvent[] = []
  const writes: number[] = []
  const state = { fails: 0 }
  const never = () => Promise.reject(new Error('not here'))
  const records: ConnectionRecords = {
    open: never,
    touch: never,
    close: never,
    find: never,
    move: never,
    openOf: never,
    noteContact: never,
    forgetBefore: never,
    async appendEvents(events, answered) {
      if (state.fails-- > 0) throw new Error('disk full')
      writes.push(events.length)
      rows.push(...events)
      for (const { streamId } of answered) {
        const at = rows.findIndex((row) => row.streamId === streamId && row.seq === 0)
        if (at >= 0) rows.splice(at, 1)
      }
    },
    eventsFrom: async ({ streamId }) => rows.filter((row) => row.streamId === streamId),
  }
  return { rows, writes, state, records }
}

const seqs = (events: readonly StreamEvent[]) => events.map(({ seq }) => seq)

describe('the event store', () => {
  it('writes everything of a moment in one batch', async () => {
    const clock = fakeClock()
    const { writes, rows, records } = memory()
    const store = createEventStore({ records, clock, log })
    for (let seq = 0; seq < 5; seq += 1) store.keep(stream, seq, '{}')
    expect(rows).toEqual([])
    clock.advance(100)
    await store.flush()
    expect(writes).toEqual([5])
    expect(clock.timers()).toEqual([])
  })

  it('returns written and pending events, each once and in order', async () => {
    const { records } = memory()
    const store = createEventStore({ records, clock: fakeClock(), log })
    store.keep(stream, 0, 'asked')
    store.keep(other, 1, 'of another')
    await store.flush()
    store.keep(stream, 1, 'said')
    expect(await store.read(stream, seqs)).toEqual([0, 1])
  })

  it('drops a question once it is answered, written or not', async () => {
    const { rows, records } = memory()
    const store = createEventStore({ records, clock: fakeClock(), log })
    store.keep(stream, 0, 'asked')
    await store.flush()
    store.keep(other, 0, 'asked')
    for (const each of [stream, other]) {
      store.keep(each, 1, 'answer')
      store.answered(each)
      expect(await store.read(each, seqs)).toEqual([1])
    }
    await store.flush()
    expect(seqs(rows)).toEqual([1, 1])
  })

  it('retries failed writes', async () => {
    const clock = fakeClock()
    const { rows, state, records } = memory()
    const store = createEventStore({ records, clock, log })
    state.fails = 2
    store.keep(stream, 1, 'said')
    await store.flush()
    expect(await store.read(stream, seqs)).toEqual([1])
    clock.advance(1000)
    await store.flush()
    await store.flush()
    expect(seqs(rows)).toEqual([1])
  })

  it('writes for all other connections if one is gone', async () => {
    const { rows, records } = memory()
    const picky: ConnectionRecords = {
      ...records,
      find: async () => undefined,
      appendEvents: (events, answered) =>
        events.some(({ connectionId }) => connectionId === 'gone')
          ? Promise.reject(new Error('no such connection'))
          : records.appendEvents(events, answered),
    }
    const clock = fakeClock()
    const store = createEventStore({ records: picky, clock, log })
    store.keep({ ...stream, connectionId: 'gone' }, 1, 'said')
    store.keep(stream, 1, 'said')
    clock.advance(100)
    await store.flush()
    expect(rows.map(({ connectionId }) => connectionId)).toEqual(['c'])
    expect(clock.timers()).toEqual([])
  })

  it('keeps what a temporary fault prevented from being written', async () => {
    const { rows, records } = memory()
    let faulty = true
    const stumbling: ConnectionRecords = {
      ...records,
      appendEvents: (events, answered) =>
        faulty && events.some(({ connectionId }) => connectionId === 'other')
          ? Promise.reject(new Error('the database is away'))
          : records.appendEvents(events, answered),
    }
    const store = createEventStore({ records: stumbling, clock: fakeClock(), log })
    store.keep({ ...stream, connectionId: 'other' }, 1, 'said')
    store.keep(stream, 1, 'said')
    await store.flush()
    faulty = false
    await store.flush()
    expect(rows.map(({ connectionId }) => connectionId).toSorted((a, b) => a.localeCompare(b))).toEqual(['c', 'other'])
  })

  it('writes the rest when it closes', async () => {
    const { rows, records } = memory()
    const store = createEventStore({ records, clock: fakeClock(), log })
    store.keep(stream, 1, 'said')
    await store.close()
    expect(seqs(rows)).toEqual([1])
  })
})

describe('the id of an event', () => {
  it('names stream and place, and the requests the stream answers', () => {
    const streamId = newStreamId([1, 'ü'])
    expect(parseEventId(eventIdOf(streamId, 12))).toEqual({ streamId, seq: 12 })
    expect(requestsOf(streamId)).toEqual([1, 'ü'])
    expect(requestsOf(newStreamId(['x'.repeat(500)]))).toEqual([])
    expect(requestsOf(newStreamId([]))).toEqual([])
  })

  it.each(['', '~1', 'abc', 'abcdefghi~', 'abcdefghi~-1', 'abcdefghi~1x', `${'a'.repeat(300)}~1`, "a'b;c d e~1"])(
    'that is %j is not ours',
    (id) => expect(parseEventId(id)).toBeNull(),
  )
})
