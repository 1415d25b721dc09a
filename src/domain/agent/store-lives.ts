import type { Executor, Tx } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentLife } from './about.ts'
import type { AgentRecord } from './schema.ts'

/** Older processes of a session are forgotten, with their error output. */
const mostKept = 20

export async function beginLife(tx: Tx, id: SessionId, childId: string, at: string): Promise<void> {
  const fresh = { ended_at: null, exit_code: null, exit_signal: null, stderr: '' }
  await tx
    .insertInto('agent_lives')
    .values({ id: childId, session_id: id, started_at: at, ...fresh })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const kept = tx
    .selectFrom('agent_lives')
    .select('id')
    .where('session_id', '=', id)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostKept)
  await tx.deleteFrom('agent_lives').where('session_id', '=', id).where('id', 'not in', kept).execute()
}

export async function endLife(
  tx: Tx,
  { childId, code, signal }: NonNullable<AgentRecord['ended']>,
  stderr: string,
  at: string,
): Promise<void> {
  await tx
    .updateTable('agent_lives')
    .set({ ended_at: at, exit_code: code, exit_signal: signal, stderr })
    .where('id', '=', childId)
    .execute()
}

/** The processes of a session's agent, oldest first. */
export async function listLives(db: Executor, id: SessionId): Promise<AgentLife[]> {
  const rows = await db
    .selectFrom('agent_lives')
    .selectAll()
    .where('session_id', '=', id)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    exitCode: row.exit_code,
    exitSignal: row.exit_signal,
    stderr: row.stderr,
  }))
}
