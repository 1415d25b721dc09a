import { start, type Place } from '../domain/audit/cursor.ts'
import { readEvents } from '../domain/audit/store.ts'
import type { Database } from '../db/open.ts'
import { backoff } from '../lib/backoff.ts'
import { createBell } from '../lib/bell.ts'
import { iso, type Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Logger } from '../lib/log.ts'
import { fail, notFound, ok, type Result } from '../lib/result.ts'
import { readEvent, type LoggedEvent } from './events.ts'
import { headOf, type Tail } from './tail.ts'

/** Someone who acts on what happened, and must not miss any of it. */
export type Follower = {
  readonly name: string
  /** `node`: each node runs its own. `single`: one for all nodes together. */
  readonly scope: 'node' | 'single'
  /** Where a follower without a cursor begins. */
  readonly from: 'start' | 'now'
  /** May see an event twice; what it does to the world is keyed by the event. */
  handle(event: LoggedEvent): Promise<void> | void
}

/** Whether this node may run a single follower now. Nodes that share a database hand in real leases. */
export type Leases = { acquire(name: string): Promise<boolean> }

export type DeadLetter = {
  id: string
  follower: string
  eventId: string
  attempts: number
  error: string
  at: string
}

export type Follow = {
  run(follower: Follower): AsyncDisposable
  deadLetters(): Promise<DeadLetter[]>
  /** Hands the event to its follower once more. */
  retry(id: string): Promise<Result<DeadLetter>>
}

export type FollowDeps = {
  database: Database
  tail: Tail
  clock: Clock
  log: Logger
  nodeId: string
  leases?: Leases
  /** How often an event is tried, and how long the first pause is; they double. */
  patience?: { attempts: number; firstMs: number; longestMs: number }
}

const pageSize = 200
const keepEveryMs = 1000
const leaseRetryMs = 1000

export function createFollow(deps: FollowDeps): Follow {
  const { database, tail, clock, log } = deps
  const { read, write, flavor } = database
  const patience = deps.patience ?? { attempts: 8, firstMs: 200, longestMs: 30_000 }
  const running = new Map<string, Follower>()
  const nodeOf = (follower: Follower) => (follower.scope === 'node' ? deps.nodeId : '')

  async function cursorOf(follower: Follower): Promise<Place> {
    const row = await read
      .selectFrom('followers')
      .select(['tx', 'seq'])
      .where('name', '=', follower.name)
      .where('node_id', '=', nodeOf(follower))
      .executeTakeFirst()
    if (row) return row
    const first = follower.from === 'start' ? start : await headOf(database)
    await keep(follower, first)
    return first
  }

  async function keep(follower: Follower, place: Place): Promise<void> {
    const row = { tx: place.tx, seq: place.seq, updated_at: iso(clock.now()) }
    await write
      .insertInto('followers')
      .values({ name: follower.name, node_id: nodeOf(follower), ...row })
      .onConflict((conflict) => conflict.columns(['name', 'node_id']).doUpdateSet(row))
      .execute()
  }

  async function bury(follower: Follower, event: LoggedEvent, attempts: number, error: unknown): Promise<void> {
    log.error({ follower: follower.name, event: event.id, attempts, error: String(error) }, 'event put aside')
    await write
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
      .execute()
  }

  const readPage = async (after: Place) =>
    (await readEvents(read, flavor, { after, limit: pageSize, viewer: { sees: 'all' } })).map(readEvent)

  async function deliver(follower: Follower, event: LoggedEvent, stop: AbortSignal): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await unlessStopped(follower.handle(event), stop)
      } catch (error) {
        if (attempt >= patience.attempts) {
          await bury(follower, event, attempt, error)
          return true
        }
        log.warn({ follower: follower.name, event: event.id, attempt, error: String(error) }, 'follower failed')
        await pause(backoff(attempt, patience.firstMs, patience.longestMs), stop)
        if (stop.aborted) return false
      }
    }
  }

  async function loop(follower: Follower, stop: AbortSignal): Promise<void> {
    if (follower.scope === 'single' && deps.leases)
      while (!(await deps.leases.acquire(follower.name))) {
        await pause(leaseRetryMs, stop)
        if (stop.aborted) return
      }
    let place = await cursorOf(follower)
    let kept = place
    let keptAt = clock.now()
    while (!stop.aborted) {
      const known = tail.batches.rings()
      const events = tail.recent(place, pageSize) ?? (await readPage(place))
      for (const event of events) {
        if (stop.aborted || !(await deliver(follower, event, stop))) break
        place = event.place
      }
      // Kept once a second: a commit for each event would cost as much as the event, and a crash repeats a second at most.
      const unkept = place !== kept
      if (unkept && (stop.aborted || clock.now() - keptAt >= keepEveryMs)) {
        await keep(follower, place)
        kept = place
        keptAt = clock.now()
      } else if (events.length < pageSize && !stop.aborted)
        await tail.batches.after(known, unkept ? keepEveryMs : null, stop)
    }
    if (place !== kept) await keep(follower, place)
  }

  async function forever(follower: Follower, stop: AbortSignal): Promise<void> {
    for (let failures = 1; !stop.aborted; failures += 1) {
      try {
        await loop(follower, stop)
        return
      } catch (error) {
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
          message: `${row.follower} does not run here.`,
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
        await follower.handle(event)
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
}): DeadLetter => ({
  id: row.id,
  follower: row.follower,
  eventId: row.event_id,
  attempts: row.attempts,
  error: row.error,
  at: row.at,
})

const pause = (ms: number, stop: AbortSignal): Promise<void> => createBell().after(0, ms, stop)

/** Whether the work was done; one that hangs does not keep the server from stopping, and is done again at the next start. */
async function unlessStopped(work: Promise<void> | void, stop: AbortSignal): Promise<boolean> {
  if (!work) return true
  const stopped = Promise.withResolvers<boolean>()
  const onStop = () => stopped.resolve(false)
  stop.addEventListener('abort', onStop)
  try {
    return await Promise.race([work.then(() => true), stopped.promise])
  } finally {
    stop.removeEventListener('abort', onStop)
  }
}
