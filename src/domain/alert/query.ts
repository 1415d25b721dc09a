import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { Executor } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import type { SessionId } from '../session/id.ts'
import type { Viewer } from '../user/actor.ts'
import { alertStatuses, type AlertStatus } from './statuses.ts'
import type { Alert, AlertId, AlertStats, AlertCause, StallSettings } from './schema.ts'
import { isUnwanted, stallDue, stepOf, unwatched, type AlertStep } from './stall.ts'
import { latestAlert, openAlerts } from './store.ts'
import { listAtWork, loadWatched } from './store-watched.ts'

export type AlertFilter = {
  sessionId?: SessionId | undefined
  statuses?: readonly AlertStatus[] | undefined
}
export type AlertPage = AlertFilter & { limit: number; before?: { createdAt: string; id: string } | undefined }

type Builder = ExpressionBuilder<Tables, 'stall_alerts'>

/** An alert is visible if its session is. */
function visibleAlerts(eb: Builder, viewer: Viewer): Expression<SqlBool> {
  const sessions = eb.selectFrom('sessions').select('sessions.id')
  switch (viewer.sees) {
    case 'all':
      return eb.lit(true)
    case 'own':
      return eb.or([
        eb('stall_alerts.session_id', 'in', sessions.where('owner_user_id', '=', viewer.userId)),
        ...(viewer.groups.length > 0
          ? [eb('stall_alerts.session_id', 'in', sessions.where('agent_group_id', 'in', viewer.groups))]
          : []),
        eb(
          'stall_alerts.session_id',
          'in',
          eb.selectFrom('session_delegates').select('session_id').where('user_id', '=', viewer.userId),
        ),
      ])
    case 'agent':
      return eb.or([
        ...(viewer.tokenId === null
          ? []
          : [eb('stall_alerts.session_id', 'in', sessions.where('token_id', '=', viewer.tokenId))]),
        ...(viewer.sessionId === null ? [] : [eb('stall_alerts.session_id', '=', viewer.sessionId)]),
      ])
    case 'nothing':
      return eb.lit(false)
    default:
      return viewer satisfies never
  }
}

const seen = (db: Executor, viewer: Viewer, { sessionId, statuses }: AlertFilter) => {
  let query = db.selectFrom('stall_alerts').where((eb) => visibleAlerts(eb, viewer))
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
  if (statuses !== undefined) query = query.where('status', 'in', statuses)
  return query
}

/** Newest first. */
export async function listAlerts(db: Executor, viewer: Viewer, page: AlertPage): Promise<Alert[]> {
  const { limit, before, ...filter } = page
  let query = seen(db, viewer, filter).selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
  if (before !== undefined) query = query.where(sql<boolean>`(created_at, id) < (${before.createdAt}, ${before.id})`)
  return (await query.execute()).map(toAlert)
}

export async function getAlert(db: Executor, viewer: Viewer, id: AlertId): Promise<Alert | undefined> {
  const row = await seen(db, viewer, {}).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAlert(row)
}

/** The median covers at most this many of the newest alerts. */
const mostMeasured = 10_000

export async function alertStats(
  db: Executor,
  viewer: Viewer,
  { sessionId }: Pick<AlertFilter, 'sessionId'>,
): Promise<AlertStats> {
  const alerts = seen(db, viewer, { sessionId })
  const rows = await alerts
    .select((eb) => [
      'status',
      'cause',
      'nudge_count as nudges',
      sql<number>`case when closed_at is null then 1 else 0 end`.as('open'),
      sql<number>`case when escalated_at is null then 0 else 1 end`.as('escalated'),
      sql<number>`case when closed_by like 'system:%' then 1 else 0 end`.as('lapsed'),
      eb.fn.countAll<number>().as('n'),
    ])
    .groupBy(['status', 'cause', 'nudge_count', 'open', 'escalated', 'lapsed'])
    .execute()
  const measured = await alerts
    .select(['nudged_at', 'closed_at'])
    .where('status', '=', 'self_recovered')
    .where('nudged_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(mostMeasured)
    .execute()
  const sum = (some: readonly { n: number }[]): number => some.reduce((total, { n }) => total + n, 0)
  const back = rows.filter(({ status }) => status === 'self_recovered')
  const after = [...new Set(back.map(({ nudges }) => nudges))].toSorted((a, b) => a - b)
  const of = (status: AlertStatus) => sum(rows.filter((row) => row.status === status))
  return {
    total: sum(rows),
    open: sum(rows.filter(({ open }) => open === 1)),
    byStatus: Object.fromEntries(alertStatuses.map((status) => [status, of(status)])) as AlertStats['byStatus'],
    byCause: {
      silent: sum(rows.filter(({ cause }) => cause === 'silent')),
      no_progress: sum(rows.filter(({ cause }) => cause === 'no_progress')),
    },
    escalated: sum(rows.filter(({ escalated }) => escalated === 1)),
    lapsed: sum(rows.filter(({ lapsed }) => lapsed === 1)),
    nudges: rows.reduce((total, { nudges, n }) => total + nudges * n, 0),
    recoveredAfter: after.map((nudges) => ({ nudges, alerts: sum(back.filter((row) => row.nudges === nudges)) })),
    medianSecondsFromNudgeToLife: median(
      measured.map(({ nudged_at, closed_at }) => (Date.parse(closed_at ?? '') - Date.parse(nudged_at ?? '')) / 1000),
    ),
  }
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

const toAlert = (row: Tables['stall_alerts']): Alert => ({
  id: row.id,
  sessionId: row.session_id,
  cause: row.cause,
  status: row.status,
  lastTool: row.last_tool,
  lastActivityAt: row.last_activity_at,
  idleSeconds: row.idle_seconds,
  nudgeCount: row.nudge_count,
  nudgeMessage: row.nudge_message,
  slackTs: row.slack_ts,
  nextAt: row.next_at,
  nudgedAt: row.nudged_at,
  escalatedAt: row.escalated_at,
  closedAt: row.closed_at,
  closedBy: row.closed_by,
  createdAt: row.created_at,
})

/** What the stall clock has to do now, and when to check again. */
type StallWork = {
  raise: readonly { sessionId: SessionId; cause: AlertCause }[]
  steps: readonly { id: AlertId; step: AlertStep }[]
  /** When the next step is due if nothing changes; null if none is. */
  nextAt: number | null
  /** Sessions with an open alert. */
  alerted: readonly SessionId[]
}

/** Reads live sessions only, so ended ones cost nothing. */
export async function stallWork(db: Executor, rules: StallSettings, now: number): Promise<StallWork> {
  const raise: { sessionId: SessionId; cause: AlertCause }[] = []
  const steps: { id: AlertId; step: AlertStep }[] = []
  const times: number[] = []
  const open = await openAlerts(db)
  const alerted = new Set(open.map(({ sessionId }) => sessionId))
  const atWork = new Map((await listAtWork(db)).map((session) => [session.id, session]))
  for (const alert of open) {
    const session = atWork.get(alert.sessionId) ?? (await loadWatched(db, alert.sessionId))
    const step = session && stepOf(alert, session, rules, now)
    if (step) steps.push({ id: alert.id, step })
    else if (rules.enabled && alert.nextAt !== null) times.push(Date.parse(alert.nextAt))
  }
  for (const session of rules.enabled ? atWork.values() : []) {
    if (alerted.has(session.id)) continue
    const { at, cause } = stallDue(session, rules)
    const why = unwatched(session, now)
    if (why === null && at > now) times.push(at)
    if (why === null && at <= now && !isUnwanted(await latestAlert(db, session.id), session, cause))
      raise.push({ sessionId: session.id, cause })
  }
  return { raise, steps, nextAt: times.length === 0 ? null : Math.min(...times), alerted: [...alerted] }
}
