import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import { metadataColumn } from '../session/store.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AgentGroupId } from '../user/id.ts'

/** Sessions of an agent group that have not ended, newest first. */
export const liveSessionsOf = (
  db: Executor,
  id: AgentGroupId,
): Promise<{ id: SessionId; status: SessionStatus; ownerUserId: string }[]> =>
  db
    .selectFrom('sessions')
    .select(['id', 'status', 'owner_user_id as ownerUserId'])
    .where('agent_group_id', '=', id)
    .where('status', 'in', ['created', 'active', 'paused', 'interrupted'])
    .orderBy('created_at', 'desc')
    .execute()

export async function pausedSessionsOf(db: Executor, id: AgentGroupId) {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'metadata'])
    .where('agent_group_id', '=', id)
    .where('status', '=', 'paused')
    .execute()
  return rows.map((row) => ({ id: row.id, metadata: metadataColumn(row.metadata) }))
}
