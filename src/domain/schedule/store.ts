import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'
import type { QueueItemId } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { Session } from '../session/schema.ts'
import type { UserId } from '../user/id.ts'
import type { RunState, ScheduleState } from './decide.ts'
import type { RunId, ScheduleChange, ScheduleId, ScheduleRun, Timing } from './schema.ts'
import type { ScheduleTables } from './table.ts'

type Row = ScheduleTables['schedules']
type RunRow = ScheduleTables['schedule_runs']

export type LoadedSchedule = ScheduleState & { readonly isolation: Session['isolation'] }

const timingColumn = jsonColumn('schedules.timing', isTaggedBy<Timing>('kind'))

export const toSchedule = (row: Row): LoadedSchedule => ({
  id: row.id,
  ownerUserId: row.owner_user_id,
  name: row.name,
  prompt: row.prompt,
  timing: timingColumn(row.timing),
  session: row.session_choice,
  sessionId: row.session_id,
  agentGroupId: row.agent_group_id,
  repoId: row.repo_id,
  workspaceRoot: row.workspace_root,
  agent: row.agent,
  isolation: row.isolation,
  precheck: row.precheck,
  missed: row.missed,
  overlap: row.overlap,
  jitterSeconds: row.jitter_seconds,
  status: row.status,
  nextAt: row.next_at,
  madeBy: row.made_by,
  failuresInARow: row.failures_in_a_row,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const toRun = (row: RunRow): ScheduleRun => ({
  id: row.id,
  scheduleId: row.schedule_id,
  dueAt: row.due_at,
  trigger: row.trigger_kind,
  status: row.status,
  reason: row.reason,
  missed: row.missed,
  sessionId: row.session_id,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  costUsd: row.cost_usd,
  createdAt: row.created_at,
})

const byId = prepare<{ id: ScheduleId }>()((db, slots) =>
  db.selectFrom('schedules').selectAll().where('id', '=', slots.id),
)

export async function loadSchedule(db: Executor, id: ScheduleId): Promise<LoadedSchedule | undefined> {
  const [row] = await byId(db, { id })
  return row && toSchedule(row)
}

export async function loadRun(db: Executor, id: RunId): Promise<RunState | undefined> {
  const row = await db.selectFrom('schedule_runs').selectAll().where('id', '=', id).executeTakeFirst()
  return row && { ...toRun(row), costBefore: row.cost_before }
}

const openOf = prepare<{ id: ScheduleId }>()((db, slots) =>
  db
    .selectFrom('schedule_runs')
    .selectAll()
    .where('schedule_id', '=', slots.id)
    .where('status', 'in', ['pending', 'running'])
    .orderBy('due_at'),
)

/** Runs that wait or have not ended. */
export const openRuns = async (db: Executor, id: ScheduleId): Promise<ScheduleRun[]> =>
  (await openOf(db, { id })).map(toRun)

/** Runs that can start, oldest first: of schedules whose last run has ended, and that are not paused. */
export const pendingRuns = async (db: Executor, limit: number): Promise<ScheduleRun[]> =>
  (
    await db
      .selectFrom('schedule_runs as run')
      .innerJoin('schedules as schedule', 'schedule.id', 'run.schedule_id')
      .selectAll('run')
      .where('run.status', '=', 'pending')
      .where((eb) => eb.or([eb('schedule.status', '!=', 'paused'), eb('run.trigger_kind', '=', 'manual')]))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('schedule_runs as other')
              .select('other.id')
              .whereRef('other.schedule_id', '=', 'run.schedule_id')
              .where('other.status', '=', 'running'),
          ),
        ),
      )
      .orderBy('run.due_at')
      .orderBy('run.id')
      .limit(limit)
      .execute()
  ).map(toRun)

/** A run that has not ended, and its prompt in the queue of an existing session. */
export type RunningRun = ScheduleRun & { readonly itemId: QueueItemId | null }

const running = (db: Executor) => db.selectFrom('schedule_runs').selectAll().where('status', '=', 'running')
const toRunning = (row: RunRow): RunningRun => ({ ...toRun(row), itemId: row.item_id })

export const runningRuns = async (db: Executor): Promise<RunningRun[]> => (await running(db).execute()).map(toRunning)

export const runsIn = async (db: Executor, sessionId: SessionId): Promise<RunningRun[]> =>
  (await running(db).where('session_id', '=', sessionId).execute()).map(toRunning)

export async function runOfItem(db: Executor, itemId: QueueItemId): Promise<RunningRun | undefined> {
  const row = await running(db).where('item_id', '=', itemId).executeTakeFirst()
  return row && toRunning(row)
}

/** Old records, except the last of each schedule. */
export const forgetRuns = (tx: Tx, before: string) =>
  tx
    .deleteFrom('schedule_runs')
    .where('ended_at', '<', before)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('schedules')
        .select('last_run_id')
        .where('last_run_id', 'is not', null)
        .$castTo<{ last_run_id: RunId }>(),
    )
    .execute()

export async function countHeld(db: Executor, owner: UserId, madeBy: SessionId | null): Promise<number> {
  let query = db
    .selectFrom('schedules')
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .where('owner_user_id', '=', owner)
    .where('status', 'in', ['active', 'paused'])
  if (madeBy !== null) query = query.where('made_by', 'is not', null)
  return Number((await query.executeTakeFirst())?.n ?? 0)
}

/** The row in `deadlines` is what the clock looks at. */
async function setDeadline(tx: Tx, id: ScheduleId, fireAt: string | null): Promise<void> {
  await tx.deleteFrom('deadlines').where('subject_id', '=', id).where('kind', '=', 'schedule').execute()
  if (fireAt !== null)
    await tx.insertInto('deadlines').values({ subject_id: id, kind: 'schedule', due_at: fireAt }).execute()
}

const setSchedule = (tx: Tx, id: ScheduleId, values: Partial<Row>) =>
  tx.updateTable('schedules').set(values).where('id', '=', id).execute()

const setRun = (tx: Tx, id: RunId, values: Partial<RunRow>) =>
  tx.updateTable('schedule_runs').set(values).where('id', '=', id).execute()

type NewRun = Extract<ScheduleChange, { type: 'schedule.run_queued' | 'schedule.run_skipped' }>['data']

const newRun = ({ id, runId, dueAt, trigger, missed }: NewRun, at: string): RunRow => ({
  id: runId,
  schedule_id: id,
  due_at: dueAt,
  trigger_kind: trigger,
  status: 'pending',
  reason: null,
  missed,
  session_id: null,
  item_id: null,
  cost_before: null,
  cost_usd: null,
  started_at: null,
  ended_at: null,
  created_at: at,
})

export async function projectSchedule(tx: Tx, change: ScheduleChange, at: string): Promise<void> {
  const { id } = change.data
  switch (change.type) {
    case 'schedule.created': {
      await tx.insertInto('schedules').values(newRow(change, at)).execute()
      return setDeadline(tx, id, change.data.fireAt)
    }
    case 'schedule.updated': {
      const { name, prompt, timing, precheck, missed, overlap, jitterSeconds } = change.body
      await setSchedule(tx, id, {
        ...(name !== undefined && { name }),
        ...(prompt !== undefined && { prompt }),
        ...(timing !== undefined && { timing: JSON.stringify(timing) }),
        ...(precheck !== undefined && { precheck }),
        ...(missed !== undefined && { missed }),
        ...(overlap !== undefined && { overlap }),
        ...(jitterSeconds !== undefined && { jitter_seconds: jitterSeconds }),
        status: change.status,
        next_at: change.data.nextAt,
        updated_at: at,
      })
      return setDeadline(tx, id, change.data.fireAt)
    }
    case 'schedule.paused':
    case 'schedule.cancelled': {
      const over = change.type === 'schedule.cancelled'
      const values = over ? { status: 'cancelled' as const, next_at: null } : { status: 'paused' as const }
      await setSchedule(tx, id, { ...values, updated_at: at })
      return setDeadline(tx, id, null)
    }
    case 'schedule.resumed':
    case 'schedule.came_due': {
      const { nextAt, fireAt } = change.data
      const status = nextAt === null ? 'done' : 'active'
      await setSchedule(tx, id, { status, next_at: nextAt, updated_at: at })
      return setDeadline(tx, id, fireAt)
    }
    default:
      return projectRun(tx, change, at)
  }
}

type RunChange = Extract<ScheduleChange, { data: { runId: RunId } }>

async function projectRun(tx: Tx, change: RunChange, at: string): Promise<void> {
  const { id, runId } = change.data
  switch (change.type) {
    case 'schedule.run_queued':
      await tx.insertInto('schedule_runs').values(newRun(change.data, at)).execute()
      break
    case 'schedule.run_started': {
      const { itemId, costBefore } = change.body
      const values = { status: 'running', session_id: change.data.sessionId, started_at: at } as const
      await setRun(tx, runId, { ...values, item_id: itemId, cost_before: costBefore })
      // The next prompt goes to the session that continued the old one.
      await tx
        .updateTable('schedules')
        .set({ session_id: change.data.sessionId })
        .where('id', '=', id)
        .where('session_choice', '=', 'same')
        .execute()
      break
    }
    case 'schedule.run_skipped': {
      const over = { status: 'skipped', reason: change.data.reason, ended_at: at } as const
      await tx
        .insertInto('schedule_runs')
        .values({ ...newRun(change.data, at), ...over })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(over))
        .execute()
      break
    }
    case 'schedule.run_ended': {
      const { outcome, reason, costUsd, failuresInARow } = change.data
      await setRun(tx, runId, { status: outcome, reason, cost_usd: costUsd, ended_at: at })
      await setSchedule(tx, id, { failures_in_a_row: failuresInARow })
      break
    }
    default:
      change satisfies never
  }
  await setSchedule(tx, id, { last_run_id: runId })
}

const newRow = ({ data, body }: Extract<ScheduleChange, { type: 'schedule.created' }>, at: string): Row => ({
  id: data.id,
  owner_user_id: data.ownerUserId,
  name: body.name,
  prompt: body.prompt,
  timing: JSON.stringify(body.timing),
  session_choice: body.session,
  session_id: body.sessionId,
  agent_group_id: body.agentGroupId,
  repo_id: body.repoId,
  workspace_root: body.workspaceRoot,
  agent: body.agent,
  isolation: body.isolation,
  precheck: body.precheck,
  missed: body.missed,
  overlap: body.overlap,
  jitter_seconds: body.jitterSeconds,
  status: data.nextAt === null ? 'done' : 'active',
  next_at: data.nextAt,
  made_by: body.madeBy,
  failures_in_a_row: 0,
  last_run_id: null,
  created_at: at,
  updated_at: at,
})
