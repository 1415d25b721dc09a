import type { Executor } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { getSession } from '../session/query.ts'
import type { SessionId } from '../session/id.ts'
import { hasEnded, type SessionStatus } from '../session/status.ts'
import type { UserId } from '../user/id.ts'
import type { Viewer } from '../user/actor.ts'
import type { Terminal } from './schema.ts'
import type { TerminalRow } from './store.ts'

type Row = TerminalRow & Pick<Tables['sessions'], 'created_at' | 'metadata'> & { status: SessionStatus; owner: UserId }

/** A terminal with what else must be known to reach it. */
export type FoundTerminal = { terminal: Terminal; row: TerminalRow }

const all = (db: Executor) =>
  db
    .selectFrom('terminals')
    .innerJoin('sessions', 'sessions.id', 'terminals.session_id')
    .selectAll('terminals')
    .select(['sessions.status', 'sessions.owner_user_id as owner', 'sessions.created_at', 'sessions.metadata'])

/** Newest first, whoever looks. */
export async function listTerminals(db: Executor, ids?: readonly SessionId[]): Promise<FoundTerminal[]> {
  let query = all(db).orderBy('sessions.created_at', 'desc').orderBy('sessions.id', 'desc').limit(1000)
  if (ids) query = query.where('terminals.session_id', 'in', ids)
  return (await query.execute()).map(found)
}

/**
 * An agent reaches what its own session or one it continues started, and what it was granted (T1); a person what they
 * may see.
 */
export async function reachableTerminals(
  db: Executor,
  viewer: Viewer,
  lineage: readonly SessionId[],
  terminals: readonly FoundTerminal[],
): Promise<FoundTerminal[]> {
  if (viewer.sees === 'all') return [...terminals]
  const granted = new Set(
    lineage.length === 0
      ? []
      : (await db.selectFrom('terminal_grants').select('terminal_id').where('session_id', 'in', lineage).execute()).map(
          (row) => row.terminal_id,
        ),
  )
  const reached: FoundTerminal[] = []
  for (const one of terminals) {
    const { session_id: id, started_by: by } = one.row
    const own = by !== null && lineage.includes(by)
    if (own || granted.has(id) || (viewer.sees === 'own' && (await getSession(db, viewer, id)))) reached.push(one)
  }
  return reached
}

function found({ status, owner, created_at: startTime, metadata, ...row }: Row): FoundTerminal {
  return {
    row,
    terminal: {
      sessionId: row.session_id,
      ownerUserId: owner,
      sessionType: row.session_type,
      state: hasEnded(status) || status === 'interrupted' ? 'stopped' : 'active',
      status,
      name: row.name,
      logFile: row.log_file ?? '',
      filePosition: row.file_position,
      epoch: row.epoch,
      startTime,
      metadata: JSON.parse(metadata),
      command: row.command === null ? null : JSON.parse(row.command),
      cwd: row.cwd,
      host: row.host,
      user: row.login,
      parentSessionId: row.parent_session_id,
      cols: row.columns_wide,
      rows: row.rows_high,
      exitCode: row.exit_code,
      exitSignal: row.exit_signal,
    },
  }
}
