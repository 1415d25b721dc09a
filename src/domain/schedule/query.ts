import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Executor } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { RunId, Schedule, ScheduleId, ScheduleRun } from './schema.ts'
import { toRun, toSchedule } from './store.ts'

/** Which schedules someone sees. */
export type ScheduleViewer =
  | { readonly sees: 'all' }
  /** A person: their own, and those of their agent groups. */
  | { readonly sees: 'own'; readonly userId: UserId; readonly groups: readonly AgentGroupId[] }
  /** An agent: those of its session's owner that belong to its session or its agent group. */
  | {
      readonly sees: 'agent'
      readonly owner: UserId
      readonly group: AgentGroupId | null
      readonly lineage: readonly SessionId[]
    }

type Builder = ExpressionBuilder<Tables, 'schedules'>

function visible(eb: Builder, viewer: ScheduleViewer): Expression<SqlBool> {
  switch (viewer.sees) {
    case 'all':
      return eb.lit(true)
    case 'own':
      return eb.or([
        eb('owner_user_id', '=', viewer.userId),
        ...(viewer.groups.length > 0 ? [eb('agent_group_id', 'in', viewer.groups)] : []),
      ])
    case 'agent':
      return eb.and([
        eb('owner_user_id', '=', viewer.owner),
        eb.or([
          ...(viewer.group === null ? [] : [eb('agent_group_id', '=', viewer.group)]),
          ...(viewer.lineage.length === 0
            ? [eb.lit(false)]
            : [eb('made_by', 'in', viewer.lineage), eb('session_id', 'in', viewer.lineage)]),
        ]),
      ])
    default:
      return viewer satisfies never
  }
}

export type ScheduleFilter = {
  /** Those that were cancelled, too. */
  cancelled?: boolean | undefined
  agentGroupId?: AgentGroupId | undefined
}

/** The soonest first; those without a next time last. */
export async function listSchedules(
  db: Executor,
  viewer: ScheduleViewer,
  { cancelled = false, agentGroupId, limit, offset }: ScheduleFilter & { limit: number; offset: number },
): Promise<Schedule[]> {
  let query = db
    .selectFrom('schedules')
    .selectAll()
    .where((eb) => visible(eb, viewer))
    .orderBy((eb) =>
      eb.case().when('status', '=', 'active').then(0).when('status', '=', 'paused').then(1).else(2).end(),
    )
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
  if (!cancelled) query = query.where('status', '!=', 'cancelled')
  if (agentGroupId !== undefined) query = query.where('agent_group_id', '=', agentGroupId)
  return withLastRuns(db, await query.execute())
}

export async function getSchedule(db: Executor, viewer: ScheduleViewer, id: ScheduleId): Promise<Schedule | undefined> {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => visible(eb, viewer))
    .execute()
  return (await withLastRuns(db, rows))[0]
}

async function withLastRuns(db: Executor, rows: readonly Tables['schedules'][]): Promise<Schedule[]> {
  const ids = rows.flatMap(({ last_run_id: id }) => id ?? [])
  const runs = new Map<RunId, ScheduleRun>()
  for (let at = 0; at < ids.length; at += 500) {
    const some = ids.slice(at, at + 500)
    for (const row of await db.selectFrom('schedule_runs').selectAll().where('id', 'in', some).execute())
      runs.set(row.id, toRun(row))
  }
  return rows.map((row) => {
    const { isolation: _isolation, ...schedule } = toSchedule(row)
    const nextAt = schedule.status === 'active' ? schedule.nextAt : null
    return { ...schedule, nextAt, lastRun: (row.last_run_id && runs.get(row.last_run_id)) || null }
  })
}

/** The newest first. */
export const listRuns = async (
  db: Executor,
  id: ScheduleId,
  { limit, offset }: { limit: number; offset: number },
): Promise<ScheduleRun[]> =>
  (
    await db
      .selectFrom('schedule_runs')
      .selectAll()
      .where('schedule_id', '=', id)
      .orderBy('created_at', 'desc')
      .orderBy('due_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute()
  ).map(toRun)
