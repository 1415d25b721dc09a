import { comparePlaces, start, type Place } from '../domain/audit/cursor.ts'
import { readEvents, type StoredEvent } from '../domain/audit/store.ts'
import type { Database } from '../db/open.ts'
import { backoff } from '../lib/backoff.ts'
import { createBell, type Bell } from '../lib/bell.ts'
import type { Logger } from '../lib/log.ts'

/** The end of the log as this node sees it: one reader, however many listen. */
export type Tail = {
  /** Everything settled up to here was handed to the listeners. */
  position(): Place
  listen(listener: (events: readonly StoredEvent[]) => void): Disposable
  /** Something was committed, here or on another node; with its place where that is known. */
  wake(place?: Place): void
  /** Rings with each batch; for followers that read by themselves. */
  readonly batches: Pick<Bell, 'rings' | 'after'>
  [Symbol.asyncDispose](): Promise<void>
}

const pageSize = 500

export async function createTail(deps: { database: Database; log: Logger; pollMs: number | null }): Promise<Tail> {
  const { database, log } = deps
  const { read, flavor } = database
  const listeners = new Set<(events: readonly StoredEvent[]) => void>()
  const woken = createBell()
  const batches = createBell()
  const stop = new AbortController()
  /** The furthest place known to be committed; it may not be settled yet. */
  let committed: Place = start
  let at = await headOf(database)

  async function pump(): Promise<void> {
    let failures = 0
    let unsettled = 0
    while (!stop.signal.aborted) {
      try {
        const known = woken.rings()
        const events = await readEvents(read, flavor, { after: at, limit: pageSize, viewer: { sees: 'all' } })
        failures = 0
        const last = events.at(-1)
        if (last) {
          at = last.place
          hand(events)
          batches.ring()
          unsettled = 0
          if (events.length === pageSize) continue
        }
        // Committed above a transaction that still runs: look again soon, it can't be long.
        unsettled = comparePlaces(committed, at) > 0 ? unsettled + 1 : 0
        await woken.after(known, unsettled > 0 ? backoff(unsettled, 1, 50) : deps.pollMs, stop.signal)
      } catch (error) {
        if (stop.signal.aborted) return
        failures += 1
        log.error({ error: String(error), failures }, 'the log could not be read; trying again')
        await woken.after(woken.rings(), backoff(failures, 100, 5000), stop.signal)
      }
    }
  }

  function hand(events: readonly StoredEvent[]): void {
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
      woken.ring()
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
