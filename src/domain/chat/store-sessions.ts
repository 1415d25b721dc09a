import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { ChatInstanceId, MessagingGroupId } from './id.ts'
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

/** Chats of an instance that are wired, or in which sessions live. */
export async function watchedChats(
  db: Executor,
  instanceId: ChatInstanceId,
): Promise<{ id: MessagingGroupId; platformId: string; name: string | null; isGroup: boolean }[]> {
  const rows = await db
    .selectFrom('messaging_groups as chat')
    .select(['chat.id', 'chat.platform_id', 'chat.name', 'chat.is_group'])
    .where('chat.instance_id', '=', instanceId)
    .where('chat.removed_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom('messaging_group_agents as wiring')
            .select('wiring.id')
            .whereRef('wiring.messaging_group_id', '=', 'chat.id'),
        ),
        eb.exists(
          eb
            .selectFrom('sessions')
            .select('sessions.id')
            .where((of) =>
              of.or([
                of('sessions.messaging_group_id', '=', of.ref('chat.id')),
                of('sessions.channel_id', '=', of.ref('chat.platform_id')),
              ]),
            )
            .where('status', 'in', live),
        ),
        eb.exists(
          eb
            .selectFrom('sessions')
            .select('sessions.id')
            .whereRef('sessions.channel_id', '=', 'chat.platform_id')
            .where('thread_ts', 'is not', null)
            .where('status', 'in', live),
        ),
      ]),
    )
    .orderBy('chat.id')
    .execute()
  return rows.map((row) => ({ id: row.id, platformId: row.platform_id, name: row.name, isGroup: row.is_group === 1 }))
}

const live = ['created', 'active', 'paused', 'interrupted'] as const

/** The newest session outside agent groups that has this thread, live or not. */
export async function ownThreadSession(
  db: Executor,
  { channelId, thread }: { channelId: string; thread: string },
): Promise<SessionId | null> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('thread_ts', '=', thread)
    .where('agent_group_id', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
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

/** Threads of a chat in which sessions live, by the id of their first message. */
export async function liveThreads(
  db: Executor,
  chat: { readonly id: MessagingGroupId; readonly platformId: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('thread_ts')
    .distinct()
    .where('status', 'in', live)
    .where('thread_ts', 'is not', null)
    .where((eb) => eb.or([eb('messaging_group_id', '=', chat.id), eb('channel_id', '=', chat.platformId)]))
    .execute()
  return rows.flatMap(({ thread_ts: thread }) => thread ?? [])
}
