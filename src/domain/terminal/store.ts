import type { Executor, Tx } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { TerminalOwnChange } from './schema.ts'
import type { TerminalTables } from './table.ts'

export type TerminalRow = TerminalTables['terminals']

export const loadTerminal = (db: Executor, id: SessionId): Promise<TerminalRow | undefined> =>
  db.selectFrom('terminals').selectAll().where('session_id', '=', id).executeTakeFirst()

/** Sessions with a grant for a terminal, besides the one that started it. */
export async function loadGrants(db: Executor, id: SessionId): Promise<SessionId[]> {
  const rows = await db.selectFrom('terminal_grants').select('session_id').where('terminal_id', '=', id).execute()
  return rows.map((row) => row.session_id)
}

/** Open terminals of this node. */
export const openTerminals = (db: Executor, node: string): Promise<TerminalRow[]> =>
  db.selectFrom('terminals').selectAll().where('node_id', '=', node).where('closed_at', 'is', null).execute()

/** Sessions whose recording may still be written to. */
export async function sessionsBeingRecorded(db: Executor): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('terminals')
    .innerJoin('sessions', 'sessions.id', 'terminals.session_id')
    .select('terminals.session_id')
    .where('terminals.closed_at', 'is', null)
    .where('sessions.status', 'in', ['created', 'active', 'paused'])
    .execute()
  return rows.map((row) => row.session_id)
}

export async function projectTerminal(tx: Tx, change: TerminalOwnChange, at: string): Promise<void> {
  const { sessionId } = change.data
  switch (change.type) {
    case 'terminal.opened': {
      const { terminal, node } = change.body
      await tx
        .insertInto('terminals')
        .values({
          session_id: sessionId,
          session_type: terminal.sessionType,
          name: terminal.name,
          log_file: terminal.logFile,
          typescript: Number(terminal.typescript),
          command: terminal.command === null ? null : JSON.stringify(terminal.command),
          cwd: terminal.cwd,
          host: terminal.host,
          login: terminal.user,
          parent_session_id: terminal.parentSessionId,
          started_by: terminal.startedBy,
          child_id: terminal.childId,
          node_id: node,
          columns_wide: terminal.cols,
          rows_high: terminal.rows,
          file_position: terminal.filePosition,
          epoch: 0,
          exit_code: null,
          exit_signal: null,
          closed_at: null,
        })
        .execute()
      return
    }
    case 'terminal.advanced': {
      const { filePosition, epoch, cols, rows } = change.data
      await tx
        .updateTable('terminals')
        .set({
          file_position: filePosition,
          epoch,
          ...(cols !== undefined && { columns_wide: cols }),
          ...(rows !== undefined && { rows_high: rows }),
        })
        .where('session_id', '=', sessionId)
        .execute()
      return
    }
    case 'terminal.closed': {
      const { exitCode, exitSignal } = change.data
      await tx
        .updateTable('terminals')
        .set({ exit_code: exitCode, exit_signal: exitSignal, closed_at: at })
        .where('session_id', '=', sessionId)
        .where('closed_at', 'is', null)
        .execute()
      return
    }
    case 'terminal.granted':
      await tx
        .insertInto('terminal_grants')
        .values({ terminal_id: sessionId, session_id: change.data.to, granted_by: change.data.by, granted_at: at })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return
    case 'terminal.revoked':
      await tx
        .deleteFrom('terminal_grants')
        .where('terminal_id', '=', sessionId)
        .where('session_id', '=', change.data.to)
        .execute()
      return
    default:
      change satisfies never
  }
}
