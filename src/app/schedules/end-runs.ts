import type { QueueItemId } from '../../domain/queue/schema.ts'
import { listQueue, loadQueueItem } from '../../domain/queue/store.ts'
import type { RunId, ScheduleId } from '../../domain/schedule/schema.ts'
import { loadSchedule, runOfItem, runsIn, type RunningRun } from '../../domain/schedule/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { hasEnded, type SessionStatus } from '../../domain/session/status.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import type { Database } from '../../db/open.ts'
import type { Guard } from '../../db/leases.ts'
import type { App } from '../app.ts'
import type { Follower } from '../follow.ts'
import { costOf } from './start-run.ts'

type Deps = { app: Pick<App, 'read' | 'dispatch'>; database: Pick<Database, 'read'> }

const system = { kind: 'system' as const, name: 'schedules' }

/** Ends runs with their turn, or with their session. */
export const runsFollower = (deps: Deps): Follower => ({
  name: 'schedule-runs',
  scope: 'single',
  from: 'now',
  types: ['queue.delivered', 'queue.dropped', 'session.status_changed'],
  async handle(event, guard) {
    if (event.type === 'queue.delivered') {
      const { id, sessionId, outcome } = event.data
      for (const run of await concerned(deps, sessionId, id)) await endTurn(deps, run, sessionId, outcome, guard)
    } else if (event.type === 'queue.dropped') {
      const run = await runOfItem(deps.database.read, event.data.id)
      if (run) await end(deps, run, { outcome: 'failed', reason: 'The prompt was dropped.', costUsd: null }, guard)
    } else if (event.type === 'session.status_changed') {
      const { id, to, reason } = event.data
      if (!isOver(to)) return
      for (const run of await runsIn(deps.database.read, id))
        if (!(await hasMoved(deps, run))) await endWith(deps, run, to, reason, guard)
    }
  },
})

/** A prompt may have moved to a session that continues the first. */
async function concerned({ database: { read } }: Deps, sessionId: SessionId, itemId: QueueItemId) {
  const own = await runOfItem(read, itemId)
  if (own) return [own]
  return (await runsIn(read, sessionId)).filter((run) => run.itemId === null)
}

/** Its prompt waits for the session that continues this one. */
async function hasMoved({ database: { read } }: Deps, { itemId, sessionId }: RunningRun): Promise<boolean> {
  const item = itemId === null ? undefined : await loadQueueItem(read, itemId)
  return item !== undefined && item.sessionId !== sessionId
}

/** An interrupted session does not continue automatically, so its run is over and does not delay the next. */
const isOver = (status: SessionStatus): boolean => hasEnded(status) || status === 'interrupted'

async function endTurn(
  deps: Deps,
  run: RunningRun,
  sessionId: SessionId,
  outcome: 'ended' | 'cancelled' | 'failed',
  guard: Guard,
): Promise<void> {
  const { app, database } = deps
  const costUsd = await costOf(app, sessionId)
  const schedule = await loadSchedule(database.read, run.scheduleId)
  // A session that was started for this run ends with it, unless someone wrote to it meanwhile.
  if (schedule?.session === 'fresh' && (await app.read.waitingItems(sessionId)).length === 0)
    await app.dispatch({ type: 'session.complete', id: sessionId, reason: 'schedule' }, system, { guard })
  const reason = outcome === 'ended' ? null : `The turn was ${outcome === 'failed' ? 'not finished' : 'cancelled'}.`
  await end(deps, run, { outcome: outcome === 'ended' ? 'completed' : 'failed', reason, costUsd }, guard)
}

async function endWith(
  deps: Deps,
  run: RunningRun,
  status: SessionStatus,
  reason: string | null,
  guard: Guard,
): Promise<void> {
  const costUsd = run.sessionId === null ? null : await costOf(deps.app, run.sessionId)
  if (status === 'completed') return end(deps, run, { outcome: 'completed', reason: null, costUsd }, guard)
  const why = `The session ended: ${status}${reason === null ? '' : ` (${reason})`}.`
  return end(deps, run, { outcome: 'failed', reason: why.slice(0, 2000), costUsd }, guard)
}

async function end(
  { app }: Deps,
  { id: runId, scheduleId: id }: { id: RunId; scheduleId: ScheduleId },
  over: { outcome: 'completed' | 'failed'; reason: string | null; costUsd: number | null },
  guard: Guard,
): Promise<void> {
  await app.dispatch({ type: 'schedule.end_run', id, runId, ...over }, system, { guard })
}

/** For a run whose end may have come before it was recorded as started, or went unnoticed. */
export async function endIfOver(deps: Deps, run: RunningRun, guard: Guard): Promise<void> {
  const { app } = deps
  if (run.sessionId === null || (await hasMoved(deps, run))) return
  const session = await app.read.session(systemStanding('schedules'), run.sessionId)
  if (!session.ok)
    return end(deps, run, { outcome: 'failed', reason: 'The session no longer exists.', costUsd: null }, guard)
  const prompts = await listQueue(deps.database.read, run.sessionId)
  const prompt = run.itemId === null ? prompts[0] : prompts.find(({ id }) => id === run.itemId)
  if (prompt?.status === 'delivered') return endTurn(deps, run, run.sessionId, 'ended', guard)
  const { status, metadata } = session.value
  const reason = typeof metadata['reason'] === 'string' ? metadata['reason'] : null
  if (isOver(status)) await endWith(deps, run, status, reason, guard)
}
