import { sql } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { QueueItemId } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { AlertFacts } from './decide.ts'
import type { AlertChange, AlertCommand, AlertId } from './schema.ts'
import type { AlertState } from './stall.ts'
import { loadWatched } from './store-watched.ts'
import type { AlertTables } from './table.ts'

type Row = AlertTables['stall_alerts']

/** How queue items and closed alerts name the stall clock. */
const watchdog = 'system:watchdog'

const stateColumns = [
  'stall_alerts.id',
  'stall_alerts.session_id as sessionId',
  'stall_alerts.cause',
  'stall_alerts.status',
  'stall_alerts.nudge_count as nudgeCount',
  'stall_alerts.next_at as nextAt',
  'stall_alerts.created_at as createdAt',
  'stall_alerts.closed_at as closedAt',
  'stall_alerts.closed_by as closedBy',
] as const

const states = (db: Executor) => db.selectFrom('stall_alerts').select(stateColumns)

const loadAlert = (db: Executor, id: AlertId): Promise<AlertState | undefined> =>
  states(db).where('id', '=', id).executeTakeFirst()

export const latestAlert = (db: Executor, sessionId: SessionId): Promise<AlertState | undefined> =>
  states(db)
    .where('session_id', '=', sessionId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

const open = prepare<object>()((db) => states(db).where('closed_at', 'is', null))
/** Active alerts, and escalated ones that wait for a sign of life or a person. */
export const openAlerts = (db: Executor): Promise<AlertState[]> => open(db, {})

/** The session a command is about; its stream takes the command. */
export const sessionOfAlert = async (db: Executor, command: AlertCommand): Promise<SessionId | null> =>
  command.type === 'alert.raise' ? command.sessionId : ((await loadAlert(db, command.id))?.sessionId ?? null)

export async function loadAlertFacts(db: Executor, command: AlertCommand): Promise<AlertFacts> {
  const alert = await loadAlert(db, command.id)
  const sessionId = command.type === 'alert.raise' ? command.sessionId : alert?.sessionId
  if (sessionId === undefined) return { session: undefined, alert, latest: undefined, waitingNudges: [] }
  return {
    session: await loadWatched(db, sessionId),
    alert,
    latest: await latestAlert(db, sessionId),
    waitingNudges: await waitingNudges(db, sessionId),
  }
}

async function waitingNudges(db: Executor, sessionId: SessionId): Promise<QueueItemId[]> {
  const rows = await db
    .selectFrom('queue_items')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('status', '=', 'waiting')
    .where('added_by', '=', watchdog)
    .execute()
  return rows.map(({ id }) => id)
}

export async function projectAlert(tx: Tx, change: AlertChange, at: string): Promise<void> {
  const { sessionId } = change.data
  switch (change.type) {
    case 'alert.raised': {
      const { id, cause, lastTool, lastActivityAt, idleSeconds, nextAt } = change.data
      await tx
        .insertInto('stall_alerts')
        .values({
          id,
          session_id: sessionId,
          cause,
          last_tool: lastTool,
          last_activity_at: lastActivityAt,
          idle_seconds: idleSeconds,
          nudge_count: 0,
          status: 'pending',
          nudge_message: null,
          slack_ts: null,
          next_at: nextAt,
          nudged_at: null,
          escalated_at: null,
          closed_at: null,
          closed_by: null,
          created_at: at,
        })
        .execute()
      return countNudges(tx, sessionId, 0)
    }
    case 'alert.nudged': {
      const { id, nudge, nextAt } = change.data
      const words = change.body === null ? {} : { nudge_message: change.body }
      // Without a next step it is already escalated, and stays so.
      const status = nextAt === null ? {} : { status: 'nudged' as const }
      await set(tx, id, { nudge_count: nudge, nudged_at: at, next_at: nextAt, ...status, ...words })
      return countNudges(tx, sessionId, nudge)
    }
    case 'alert.escalated':
      return set(tx, change.data.id, { status: 'escalated', next_at: null, escalated_at: at })
    case 'alert.dismissed':
      await set(tx, change.data.id, { status: 'dismissed', next_at: null, closed_at: at, closed_by: change.data.by })
      return countNudges(tx, sessionId, 0)
    case 'alert.lapsed':
      await tx
        .updateTable('stall_alerts')
        .set({
          status: sql`case when status = 'escalated' then 'escalated' else 'dismissed' end`,
          next_at: null,
          closed_at: at,
          closed_by: watchdog,
        })
        .where('id', '=', change.data.id)
        .execute()
      return countNudges(tx, sessionId, 0)
    case 'alert.recovered':
      await tx
        .updateTable('stall_alerts')
        .set({ status: 'self_recovered', next_at: null, closed_at: at })
        .where('session_id', '=', sessionId)
        .where('closed_at', 'is', null)
        .execute()
      return countNudges(tx, sessionId, 0)
    default:
      change satisfies never
  }
}

async function set(tx: Tx, id: AlertId, values: Partial<Row>): Promise<void> {
  await tx.updateTable('stall_alerts').set(values).where('id', '=', id).execute()
}

async function countNudges(tx: Tx, id: SessionId, nudge_count: number): Promise<void> {
  await tx.updateTable('sessions').set({ nudge_count }).where('id', '=', id).execute()
}

/** Where its card is in Slack; the first one counts. */
export async function noteAlertInSlack(tx: Tx, id: AlertId, ts: string): Promise<void> {
  await tx
    .updateTable('stall_alerts')
    .set({ slack_ts: ts })
    .where('id', '=', id)
    .where('slack_ts', 'is', null)
    .execute()
}
