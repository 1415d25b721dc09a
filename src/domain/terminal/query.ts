import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { sessionsSeenBy } from '../session/query.ts'
import type { SessionId } from '../session/id.ts'
import { hasEnded, sessionStatuses, type SessionStatus } from '../session/status.ts'
import type { UserId } from '../user/id.ts'
import type { Viewer } from '../user/actor.ts'
import type { Terminal } from './schema.ts'
import type { TerminalRow } from './store.ts'
import { isRecord, isTextList, jsonColumn } from '../../lib/parse-json.ts'

type FoundRow = TerminalRow &
  Pick<Tables['sessions'], 'created_at' | 'metadata'> & { status: SessionStatus; owner: UserId }

/** A terminal with the data needed to reach it. */
export type FoundTerminal = { terminal: Terminal; row: TerminalRow }

const all = (db: Executor) =>
  db
    .selectFrom('terminals')
    .innerJoin('sessions', 'sessions.id', 'terminals.session_id')
    .selectAll('terminals')
    .select(['sessions.status', 'sessions.owner_user_id as owner', 'sessions.created_at', 'sessions.metadata'])

/** Which of them: one, or a page of those in a state. */
export type TerminalPage = {
  id?: SessionId | undefined
  state?: Terminal['state'] | undefined
  limit?: number | undefined
  before?: { createdAt: string; id: string } | undefined
}

const mostAtOnce = 1000
/** Whatever else a session is, its terminal is active. */
const stopped = sessionStatuses.filter((status) => hasEnded(status) || status === 'interrupted')

/**
 * The newest terminals a viewer can reach, or one of them. An agent reaches terminals that its lineage started or that
 * it was granted (T1); a person reaches those they may see. The limit counts only these.
 */
export async function reachableTerminals(
  db: Executor,
  viewer: Viewer,
  lineage: readonly SessionId[],
  { id, state, limit = mostAtOnce, before }: TerminalPage = {},
): Promise<FoundTerminal[]> {
  let query = all(db).orderBy('sessions.created_at', 'desc').orderBy('sessions.id', 'desc').limit(limit)
  if (state !== undefined) query = query.where('sessions.status', state === 'stopped' ? 'in' : 'not in', stopped)
  if (before !== undefined)
    query = query.where(sql<boolean>`(sessions.created_at, sessions.id) < (${before.createdAt}, ${before.id})`)
  if (id !== undefined) query = query.where('terminals.session_id', '=', id)
  if (viewer.sees === 'own') query = query.where('terminals.session_id', 'in', sessionsSeenBy(db, viewer))
  if (viewer.sees === 'agent' || viewer.sees === 'nothing') {
    if (lineage.length === 0) return []
    const granted = db
      .selectFrom('terminal_grants')
      .select('terminal_id')
      .where('terminal_grants.session_id', 'in', lineage)
    query = query.where((eb) =>
      eb.or([eb('terminals.started_by', 'in', lineage), eb('terminals.session_id', 'in', granted)]),
    )
  }
  return (await query.execute()).map(found)
}

const commandColumn = jsonColumn('terminals.command', isTextList)
/** Terminals are started with string values only. */
const isTexts = (value: unknown): value is Record<string, string> => isRecord(value)
const metadataColumn = jsonColumn('sessions.metadata', isTexts)

function found({ status, owner, created_at: startTime, metadata, ...row }: FoundRow): FoundTerminal {
  return {
    row,
    terminal: {
      sessionId: row.session_id,
      ownerUserId: owner,
      sessionType: row.session_type,
      state: stopped.includes(status) ? 'stopped' : 'active',
      status,
      name: row.name,
      logFile: row.log_file ?? '',
      filePosition: row.file_position,
      epoch: row.epoch,
      startTime,
      metadata: metadataColumn(metadata),
      command: commandColumn(row.command),
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
