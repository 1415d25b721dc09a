import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { MessagingGroupId } from './id.ts'
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

/** A place in a chat; `platformId` is what `channel_id` of sessions holds. */
export type ThreadPlace = {
  readonly chatId: MessagingGroupId
  readonly platformId: string
  readonly threadId: string | null
}

/** The sessions of a thread: those that run first, then the newest. */
export async function sessionsInThread(
  db: Executor,
  { chatId, platformId, threadId }: ThreadPlace,
  limit: number,
): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where((eb) =>
      eb.or([
        eb.and([eb('messaging_group_id', '=', chatId), eb('thread_id', threadId === null ? 'is' : '=', threadId)]),
        ...(threadId === null ? [] : [eb.and([eb('channel_id', '=', platformId), eb('thread_ts', '=', threadId)])]),
      ]),
    )
    .orderBy((eb) => eb.case().when('status', 'in', ['created', 'active', 'paused']).then(0).else(1).end())
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Sessions of a person in a chat that have not ended, newest first. */
export async function openSessionsOf(
  db: Executor,
  ownerUserId: UserId,
  { chatId, platformId }: Omit<ThreadPlace, 'threadId'>,
  limit: number,
): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('owner_user_id', '=', ownerUserId)
    .where('status', 'in', ['created', 'active', 'paused', 'interrupted'])
    .where((eb) => eb.or([eb('messaging_group_id', '=', chatId), eb('channel_id', '=', platformId)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
