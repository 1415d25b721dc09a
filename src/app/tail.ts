import { comparePlaces, start, type Place } from '../domain/audit/cursor.ts'
import { readEvents } from '../domain/audit/store.ts'
import type { Database } from '../db/open.ts'
import { backoff } from '../lib/backoff.ts'
import { createWakeSignal, type WakeSignal } from '../lib/wake-signal.ts'
import type { Logger } from '../lib/log.ts'
import { readEvent, type LoggedEvent } from './events.ts'

/** The end of the log as this node sees it: one reader for all listeners. */
export type Tail = {
  /** Everything settled up to here was passed to the listeners. */
  position(): Place
  listen(listener: (events: readonly LoggedEvent[]) => void): Disposable
  /** Something was committed on another node; `place` is its position, if known. */
  wake(place?: Place): void
  /** Events just committed by this node. */
  offer(events: readonly LoggedEvent[]): void
  /** The events after a position, if all of them are still in memory. */
  recent(after: Place, limit: number): readonly LoggedEvent[] | null
  /** Wakes followers, which read the log themselves, once the answers of this turn of the event loop are written. */
  readonly batches: WakeSignal
  [Symbol.asyncDispose](): Promise<void>
}

const pageSize = 500
const mostRecent = 2000
/** Changes that are closer together than this wake followers once. */
const betweenWakesMs = 5

export async function createTail(deps: { database: Database; log: Logger; pollMs: number | null }): Promise<Tail> {
  const { database, log } = deps
  const { read, flavor } = database
  const listeners = new Set<(events: readonly LoggedEvent[]) => void>()
  const woken = createWakeSignal()
  const batches = createWakeSignal()
  const stop = new AbortController()
  /** The furthest position known to be committed; it may not be settled. */
  let committed: Place = start
  let at = await headOf(database)
  let recentFrom = at
  const recent: LoggedEvent[] = []
  let waking = false
  let wokenAt = 0

  async function pump(): Promise<void> {
    let failures = 0
    let unsettled = 0
    while (!stop.signal.aborted) {
      try {
        const known = woken.count()
        const stored = await readEvents(read, flavor, { after: at, limit: pageSize, viewer: { sees: 'all' } })
        const events = stored.map(readEvent)
        failures = 0
        if (events.length > 0) {
          advance(events.filter((event) => comparePlaces(event.place, at) > 0))
          unsettled = 0
          if (events.length === pageSize) continue
        }
        // Committed above a transaction that is still running: check again soon.
        unsettled = comparePlaces(committed, at) > 0 ? unsettled + 1 : 0
        await woken.after(known, unsettled > 0 ? backoff(unsettled, 1, 50) : deps.pollMs, stop.signal)
      } catch (error) {
        if (stop.signal.aborted) return
        failures += 1
        log.error({ error: String(error), failures }, 'the log could not be read; trying again')
        await woken.after(woken.count(), backoff(failures, 100, 5000), stop.signal)
      }
    }
  }

  function advance(events: readonly LoggedEvent[]): void {
    const last = events.at(-1)
    if (!last) return
    at = last.place
    recent.push(...events)
    if (recent.length > mostRecent) {
      const dropped = recent.splice(0, recent.length - mostRecent / 2)
      recentFrom = dropped.at(-1)?.place ?? recentFrom
    }
    deliver(events)
    if (waking) return
    waking = true
    const wait = wokenAt + betweenWakesMs - performance.now()
    if (wait > 0) setTimeout(wakeFollowers, wait)
    else setImmediate(wakeFollowers)
  }

  function wakeFollowers(): void {
    waking = false
    wokenAt = performance.now()
    batches.wake()
  }

  function deliver(events: readonly LoggedEvent[]): void {
    for (const listener of listeners) {
      try {
        listener(events)
      } catch (error) {
        log.error({ error: String(error) }, 'a listener of the log failed')
      }
    }
  }

  const pumping = pump()
  return {
    position: () => at,
    listen(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    wake(place) {
      if (place && comparePlaces(place, committed) > 0) committed = place
      woken.wake()
    },
    offer(events) {
      const [first] = events
      const last = events.at(-1)
      if (!first || !last) return
      // With one writer, committed means settled; if no event is missing before it, it need not be read again.
      if (flavor.oneWriter && first.place.seq === at.seq + 1) {
        advance(events)
        return
      }
      if (comparePlaces(last.place, committed) > 0) committed = last.place
      woken.wake()
    },
    recent(after, limit) {
      if (comparePlaces(after, recentFrom) < 0) return null
      const first = recent.findLastIndex((event) => comparePlaces(event.place, after) <= 0) + 1
      return recent.slice(first, first + limit)
    },
    batches,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await pumping
    },
  }
}

export async function headOf({ read, flavor }: Database): Promise<Place> {
  const { rows } = await flavor.head.execute(read)
  return rows[0] ?? start
}

export async function newestOf({ read, flavor }: Database): Promise<Place | null> {
  const newest = read.selectFrom('events').select(['tx', 'seq']).orderBy(flavor.newestFirst).limit(1)
  return (await newest.executeTakeFirst()) ?? null
}

/** A position at or after every event and every cursor that was handed out. */
export async function endOf(database: Database): Promise<Place> {
  const newest = await newestOf(database)
  const head = await headOf(database)
  return newest !== null && comparePlaces(newest, head) > 0 ? newest : head
}
