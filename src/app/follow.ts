import { start, type Place } from '../domain/audit/cursor.ts'
import { readEvents } from '../domain/audit/store.ts'
import { LeaseLost, soleLeases, unguarded, type Guard, type Lease, type Leases } from '../db/leases.ts'
import type { Database, Tx } from '../db/open.ts'
import { backoff } from '../lib/backoff.ts'
import { createWakeSignal } from '../lib/wake-signal.ts'
import { iso, type Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Logger } from '../lib/log.ts'
import { fail, notFound, ok, type Result } from '../lib/result.ts'
import { readEvent, type LoggedEvent } from './events.ts'
import { headOf, type Tail } from './tail.ts'

export type { Guard, Lease, Leases } from '../db/leases.ts'

/** Acts on events and must not miss any. */
export type Follower = {
  readonly name: string
  /** `node`: each node runs its own. `single`: one for all nodes. */
  readonly scope: 'node' | 'single'
  /** Where a follower without a cursor begins. */
  readonly from: 'start' | 'now'
  /** Only events of these types are handed over; without it, all are. */
  readonly types?: readonly LoggedEvent['type'][]
  /**
   * May get an event twice, so external effects are keyed by the event. A single follower writes through `guard`, so that
   * a node that lost its lease writes nothing.
   */
  handle(event: LoggedEvent, guard: Guard): Promise<void> | void
}

export type DeadEvent = {
  id: string
  follower: string
  eventId: string
  attempts: number
  error: string
  at: string
}

export type Follow = {
  run(follower: Follower): AsyncDisposable
  deadLetters(): Promise<DeadEvent[]>
  /** Hands the event to its follower again. */
  retry(id: string): Promise<Result<DeadEvent>>
}

export type FollowDeps = {
  database: Database
  tail: Tail
  clock: Clock
  log: Logger
  nodeId: string
  /** Decides which node runs single followers. Without leases, this node does. */
  leases?: Leases
  /** How often an event is tried, and the first pause, which doubles each time. */
  patience?: { attempts: number; firstMs: number; longestMs: number }
}

const pageSize = 200
const keepEveryMs = 1000
const leaseRetryMs = 1000

export function createFollow(deps: FollowDeps): Follow {
  const { database, tail, clock, log } = deps
  const { read, write, flavor } = database
  const patience = deps.patience ?? { attempts: 8, firstMs: 200, longestMs: 30_000 }
  const leases = deps.leases ?? soleLeases
  const running = new Map<string, Follower>()
  const nodeOf = (follower: Follower) => (follower.scope === 'node' ? deps.nodeId : '')
  let keeping: NodeJS.Timeout | null = null

  /** Wakes all followers when they should save their cursors: one timer, not one per follower and event. */
  function keepSoon(): void {
    keeping ??= setTimeout(() => {
      keeping = null
      tail.batches.wake()
    }, keepEveryMs).unref()
  }

  async function cursorOf(follower: Follower, guard: Guard): Promise<Place> {
    const row = await read
      .selectFrom('followers')
      .select(['tx', 'seq'])
      .where('name', '=', follower.name)
      .where('node_id', '=', nodeOf(follower))
      .executeTakeFirst()
    if (row) return row
    const first = follower.from === 'start' ? start : await headOf(database)
    await keep(follower, first, guard)
    return first
  }

  const guarded = (guard: Guard, work: (tx: Tx) => Promise<unknown>) =>
    write.transaction().execute(async (tx) => {
      await guard(tx)
      await work(tx)
    })

  async function keep(follower: Follower, place: Place, guard: Guard): Promise<void> {
    const row = { tx: place.tx, seq: place.seq, updated_at: iso(clock.now()) }
    await guarded(guard, (tx) =>
      tx
        .insertInto('followers')
        .values({ name: follower.name, node_id: nodeOf(follower), ...row })
        .onConflict((conflict) => conflict.columns(['name', 'node_id']).doUpdateSet(row))
        .execute(),
    )
  }

  async function bury(
    follower: Follower,
    event: LoggedEvent,
    failed: { attempts: number; error: unknown },
    guard: Guard,
  ) {
    const { attempts, error } = failed
    log.error({ follower: follower.name, event: event.id, attempts, error: String(error) }, 'event put aside')
    await guarded(guard, (tx) =>
      tx
        .insertInto('dead_letters')
        .values({
          id: newId(),
          follower: follower.name,
          node_id: nodeOf(follower),
          event_id: event.id,
          tx: event.place.tx,
          seq: event.place.seq,
          attempts,
          error: String(error).slice(0, 2000),
          at: iso(clock.now()),
          resolved_at: null,
        })
        .onConflict((conflict) => conflict.columns(['follower', 'node_id', 'event_id']).doNothing())
        .execute(),
    )
  }

  const readPage = async (after: Place) =>
    (await readEvents(read, flavor, { after, limit: pageSize, viewer: { sees: 'all' } })).map(readEvent)

  async function deliver(follower: Follower, event: LoggedEvent, guard: Guard, stop: Stop): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await stop.finished(follower.handle(event, guard))
      } catch (error) {
        if (error instanceof LeaseLost) throw error
        if (attempt >= patience.attempts) {
          await bury(follower, event, { attempts: attempt, error }, guard)
          return true
        }
        log.warn({ follower: follower.name, event: event.id, attempt, error: String(error) }, 'follower failed')
        await pause(backoff(attempt, patience.firstMs, patience.longestMs), stop.signal)
        if (stop.signal.aborted) return false
      }
    }
  }

  async function readAlong(follower: Follower, guard: Guard, stop: AbortSignal): Promise<void> {
    let place = await cursorOf(follower, guard)
    let kept = place
    let keptAt = clock.now()
    using stopped = createStop(stop, () => tail.batches.wake())
    while (!stop.aborted) {
      const known = tail.batches.count()
      const events = tail.recent(place, pageSize) ?? (await readPage(place))
      for (const event of events) {
        if (stop.aborted) break
        const concerns = follower.types?.includes(event.type) ?? true
        if (concerns && !(await deliver(follower, event, guard, stopped))) break
        place = event.place
      }
      // Saved once a second: a commit per event would double the cost, and a crash repeats at most a second.
      const unkept = place !== kept
      if (unkept && (stop.aborted || clock.now() - keptAt >= keepEveryMs)) {
        await keep(follower, place, guard)
        kept = place
        keptAt = clock.now()
      } else if (events.length < pageSize && !stop.aborted) {
        if (unkept) keepSoon()
        await tail.batches.after(known, null)
      }
    }
    if (place !== kept) await keep(follower, place, guard)
  }

  async function leaseOf({ name }: Follower, stop: AbortSignal): Promise<Lease | null> {
    while (!stop.aborted) {
      const lease = await leases.acquire(name)
      if (lease) return lease
      await pause(leaseRetryMs, stop)
    }
    return null
  }

  async function loop(follower: Follower, stop: AbortSignal): Promise<void> {
    if (follower.scope === 'node') return readAlong(follower, unguarded, stop)
    await using lease = await leaseOf(follower, stop)
    if (lease) await readAlong(follower, lease.guard, AbortSignal.any([stop, lease.lost]))
  }

  async function forever(follower: Follower, stop: AbortSignal): Promise<void> {
    let failures = 0
    while (!stop.aborted) {
      try {
        await loop(follower, stop)
        failures = 0
      } catch (error) {
        if (error instanceof LeaseLost) continue
        failures += 1
        log.error({ follower: follower.name, error: String(error) }, 'follower stopped; starting again')
        await pause(backoff(failures, 100, 5000), stop)
      }
    }
  }

  return {
    run(follower) {
      if (running.has(follower.name)) throw new Error(`two followers are called ${follower.name}`)
      running.set(follower.name, follower)
      const stop = new AbortController()
      const done = forever(follower, stop.signal)
      return {
        async [Symbol.asyncDispose]() {
          stop.abort()
          await done
          running.delete(follower.name)
        },
      }
    },
    async deadLetters() {
      const rows = await read
        .selectFrom('dead_letters')
        .selectAll()
        .where('resolved_at', 'is', null)
        .orderBy('at')
        .limit(1000)
        .execute()
      return rows.map((row) => toDeadLetter(row))
    },
    async retry(id) {
      const row = await read.selectFrom('dead_letters').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row || row.resolved_at !== null) return notFound('dead_letter', id)
      const follower = running.get(row.follower)
      if (!follower || row.node_id !== nodeOf(follower))
        return fail({
          kind: 'unavailable',
          code: 'follower_not_running',
          message: `${row.follower} is not running here.`,
        })
      const [stored] = await readEvents(read, flavor, {
        after: { tx: row.tx, seq: row.seq - 1 },
        limit: 1,
        viewer: { sees: 'all' },
      })
      if (!stored || stored.id !== row.event_id) return notFound('event', row.event_id)
      const event = readEvent(stored)
      const update = (values: { resolved_at: string } | { attempts: number; error: string }) =>
        write.updateTable('dead_letters').set(values).where('id', '=', id).execute()
      try {
        // A person asked for this, so no lease is needed wherever the follower runs.
        await follower.handle(event, unguarded)
        await update({ resolved_at: iso(clock.now()) })
        return ok(toDeadLetter(row))
      } catch (error) {
        await update({ attempts: row.attempts + 1, error: String(error).slice(0, 2000) })
        return fail({ kind: 'unavailable', code: 'follower_failed', message: `It failed again: ${String(error)}` })
      }
    },
  }
}

const toDeadLetter = (row: {
  id: string
  follower: string
  event_id: string
  attempts: number
  error: string
  at: string
}): DeadEvent => ({
  id: row.id,
  follower: row.follower,
  eventId: row.event_id,
  attempts: row.attempts,
  error: row.error,
  at: row.at,
})

const pause = (ms: number, stop: AbortSignal): Promise<void> => createWakeSignal().after(0, ms, stop)

type Stop = Disposable & {
  readonly signal: AbortSignal
  /** Whether the work finished. Work that hangs does not block the shutdown and is repeated at the next start. */
  finished(work: Promise<void> | void): Promise<boolean> | boolean
}

/** One listener for all events: adding and removing one for each costs more than most followers do with it. */
function createStop(signal: AbortSignal, stopping: () => void): Stop {
  let giveUp = () => {}
  const onStop = () => {
    giveUp()
    stopping()
  }
  signal.addEventListener('abort', onStop)
  return {
    signal,
    finished(work) {
      if (!work) return true
      return new Promise((resolve, reject) => {
        giveUp = () => resolve(false)
        work.then(() => resolve(true), reject)
      })
    },
    [Symbol.dispose]: () => signal.removeEventListener('abort', onStop),
  }
}
