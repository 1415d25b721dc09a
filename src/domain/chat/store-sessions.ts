import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { SessionKey } from './session-key.ts'

export type KeyedSession = { readonly id: SessionId; readonly status: SessionStatus; readonly ownerUserId: UserId }

/** The newest session that messages with this key belong to, whether it has ended or not. */
export async function sessionOfKey(
  db: Executor,
  agentGroupId: AgentGroupId,
  { mode, chatId, threadId }: SessionKey,
): Promise<KeyedSession | undefined> {
  let query = db
    .selectFrom('sessions')
    .select(['id', 'status', 'owner_user_id as ownerUserId'])
    .where('agent_group_id', '=', agentGroupId)
    .where('thread_id', threadId === null ? 'is' : '=', threadId)
  query = chatId === null ? query.where('session_mode', '=', mode) : query.where('messaging_group_id', '=', chatId)
  // The one that lives comes first; there is one at most.
  return query
    .orderBy((eb) => eb.case().when('status', 'in', ['created', 'active', 'paused']).then(0).else(1).end())
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}
