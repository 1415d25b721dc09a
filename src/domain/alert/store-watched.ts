import { sql, type SelectQueryBuilder } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Tables } from '../../db/tables.ts'
import type { SessionId } from '../session/id.ts'
import type { Watched } from './stall.ts'

const waits = sql<
  number | boolean
>`exists (select 1 from asks where asks.session_id = sessions.id and asks.status = 'open')`
const inTurn = sql<
  number | boolean
>`(sessions.protocol_mode = 'mcp' and sessions.turn_over = 0 and sessions.agent_phase <> 'connected'
  or exists (select 1 from queue_items where queue_items.session_id = sessions.id and queue_items.status = 'sent')
  or exists (select 1 from agents where agents.session_id = sessions.id and agents.about like '%"turnless":true%'))`

/** Adds the columns the stall clock needs to a query over sessions; `toWatched` reads them. */
const withWatched = <O>(query: SelectQueryBuilder<Tables, 'sessions', O>) =>
  query.select([
    'sessions.id',
    'sessions.status',
    'sessions.protocol_mode',
    'sessions.connectivity_status',
    'sessions.last_activity_at',
    'sessions.last_tool',
    'sessions.progress_at',
    'sessions.stall_from',
    'sessions.stall_paused',
    'sessions.stall_paused_until',
    'sessions.created_at',
    waits.as('waits'),
    inTurn.as('in_turn'),
  ])

type WatchedRow = Awaited<ReturnType<ReturnType<typeof withWatched<object>>['executeTakeFirstOrThrow']>>

function toWatched(row: WatchedRow): Watched {
  const lastActivityAt = row.last_activity_at ?? row.created_at
  return {
    id: row.id,
    status: row.status,
    protocolMode: row.protocol_mode,
    connectivityStatus: row.connectivity_status,
    lastActivityAt,
    lastTool: row.last_tool,
    progressAt: row.progress_at ?? lastActivityAt,
    stallFrom: row.stall_from,
    stallPaused: row.stall_paused !== 0,
    stallPausedUntil: row.stall_paused_until,
    waits: Boolean(row.waits),
    inTurn: Boolean(row.in_turn),
  }
}

export async function loadWatched(db: Executor, id: SessionId): Promise<Watched | undefined> {
  const row = await withWatched(db.selectFrom('sessions').where('sessions.id', '=', id)).executeTakeFirst()
  return row && toWatched(row)
}

const atWork = prepare<object>()((db) =>
  withWatched(db.selectFrom('sessions'))
    // Literal values, so that the database can use its partial index of live sessions.
    .where(sql<boolean>`sessions.status = 'active' and sessions.protocol_mode in ('mcp', 'acp')`),
)
/** Sessions whose clock may run. */
export const listAtWork = async (db: Executor): Promise<Watched[]> => (await atWork(db, {})).map(toWatched)

const restart = prepare<{ id: SessionId; at: string }>()((db, slots) =>
  db.updateTable('sessions').set({ stall_from: slots.at }).where('id', '=', slots.id),
)

/** A session that starts as active was stored with its clock. */
const isInserted = (body: unknown): boolean => typeof body === 'object' && body !== null && 'inserted' in body

/** Restarts the clock after idle time that is not the agent's fault: waiting for a person, a pause, or no work. */
export async function restartStallClock(
  tx: Tx,
  change: { type: string; data: Readonly<Record<string, unknown>>; body?: unknown },
  at: string,
): Promise<void> {
  const { type, data, body } = change
  const restarts =
    /^ask\.(answered|expired|interrupted|cancelled)$|^queue\.sent$|^session\.watch_changed$/.test(type) ||
    (type === 'session.status_changed' && data['to'] === 'active' && !isInserted(body))
  if (!restarts) return
  const id = data['sessionId'] ?? (type.startsWith('session.') ? data['id'] : null)
  if (typeof id === 'string') await restart(tx, { id: id as SessionId, at })
}
