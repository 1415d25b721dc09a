import { sql, type Selectable } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { ChatState, DestinationState, Links, WiringState } from './decide.ts'
import type { MessagingGroupId, WiringId } from './id.ts'
import type { AgentDestination, Chat, ChatChange, Stranger, Wiring, WiringSettings } from './schema.ts'
import type { ChatTables } from './table.ts'

type Row<T extends keyof ChatTables> = Selectable<ChatTables[T]>

const toChat = (row: Row<'messaging_groups'>): Chat & { removed: boolean } => ({
  id: row.id,
  channelType: row.channel_type,
  platformId: row.platform_id,
  name: row.name,
  isGroup: row.is_group !== 0,
  unknownSenderPolicy: row.unknown_sender_policy,
  instanceId: row.instance_id,
  createdAt: row.created_at,
  deniedAt: row.denied_at,
  removed: row.removed_at !== null,
})

const toWiring = (row: Row<'messaging_group_agents'>): Wiring => ({
  id: row.id,
  chatId: row.messaging_group_id,
  agentGroupId: row.agent_group_id,
  sessionMode: row.session_mode,
  priority: row.priority,
  engageMode: row.engage_mode,
  engagePattern: row.engage_pattern,
  senderScope: row.sender_scope,
  ignoredMessagePolicy: row.ignored_message_policy,
  verbosity: row.verbosity,
  createdAt: row.created_at,
})

const toDestination = (row: Row<'agent_destinations'>): AgentDestination => ({
  agentGroupId: row.agent_group_id,
  localName: row.local_name,
  targetType: row.target_type,
  targetId: row.target_id,
  wiringId: row.wiring_id,
  createdAt: row.created_at,
})

const chatById = prepare<{ id: MessagingGroupId }>()((db, slots) =>
  db.selectFrom('messaging_groups').selectAll().where('id', '=', slots.id),
)
const chatAt = prepare<{ channelType: string; platformId: string }>()((db, slots) =>
  db
    .selectFrom('messaging_groups')
    .selectAll()
    .where('channel_type', '=', slots.channelType)
    .where('platform_id', '=', slots.platformId),
)

/** Includes removed chats. */
export async function loadChat(db: Executor, id: MessagingGroupId): Promise<(Chat & { removed: boolean }) | undefined> {
  const [row] = await chatById(db, { id })
  return row && toChat(row)
}
export async function loadChatAt(db: Executor, place: { channelType: string; platformId: string }) {
  const [row] = await chatAt(db, place)
  return row && toChat(row)
}

export const stateOfChat = (chat: (Chat & { removed: boolean }) | undefined): ChatState | undefined =>
  chat && { ...chat, denied: chat.deniedAt !== null }

const wiringsByChat = prepare<{ id: MessagingGroupId }>()((db, slots) =>
  db
    .selectFrom('messaging_group_agents')
    .selectAll()
    .where('messaging_group_id', '=', slots.id)
    .orderBy('priority', 'desc')
    .orderBy('created_at')
    .orderBy('id'),
)
/** In the order in which they get messages. */
export const loadWirings = async (db: Executor, id: MessagingGroupId): Promise<Wiring[]> =>
  (await wiringsByChat(db, { id })).map(toWiring)

export async function loadWiring(db: Executor, id: WiringId): Promise<Wiring | undefined> {
  const row = await db.selectFrom('messaging_group_agents').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toWiring(row)
}

/** Whether anyone may write to the agent group: in this chat, or without one in any. */
export async function hasPublicChat(
  db: Executor,
  agentGroupId: AgentGroupId,
  chatId: MessagingGroupId | null,
): Promise<boolean> {
  let query = db
    .selectFrom('messaging_group_agents')
    .innerJoin('messaging_groups', 'messaging_groups.id', 'messaging_group_agents.messaging_group_id')
    .select('messaging_groups.id')
    .where('agent_group_id', '=', agentGroupId)
    .where('sender_scope', '=', 'all')
    .where('unknown_sender_policy', '=', 'public')
    .where('removed_at', 'is', null)
  if (chatId !== null) query = query.where('messaging_groups.id', '=', chatId)
  return (await query.executeTakeFirst()) !== undefined
}

export async function wiringBetween(
  db: Executor,
  chatId: MessagingGroupId,
  agentGroupId: AgentGroupId,
): Promise<WiringState | undefined> {
  return (await loadWirings(db, chatId)).find((wiring) => wiring.agentGroupId === agentGroupId)
}

export async function loadDestinations(db: Executor, agentGroupId: AgentGroupId): Promise<AgentDestination[]> {
  const rows = await db
    .selectFrom('agent_destinations')
    .selectAll()
    .where('agent_group_id', '=', agentGroupId)
    .orderBy('local_name')
    .execute()
  return rows.map(toDestination)
}

async function destinationsTo(db: Executor, targetType: 'channel' | 'agent', id: string): Promise<DestinationState[]> {
  const rows = await db
    .selectFrom('agent_destinations')
    .selectAll()
    .where('target_type', '=', targetType)
    .where('target_id', '=', id)
    .execute()
  return rows.map(toDestination)
}

/** The wirings of a chat, and what leads to it. */
export const linksOfChat = async (db: Executor, id: MessagingGroupId): Promise<Links> => ({
  wirings: await loadWirings(db, id),
  destinations: await destinationsTo(db, 'channel', id),
})

/** The wirings of an agent group, its destinations, and what leads to it. */
export async function linksOfGroup(db: Executor, id: AgentGroupId): Promise<Links> {
  const wirings = await db.selectFrom('messaging_group_agents').selectAll().where('agent_group_id', '=', id).execute()
  return {
    wirings: wirings.map(toWiring),
    destinations: [...(await loadDestinations(db, id)), ...(await destinationsTo(db, 'agent', id))],
  }
}

export async function projectChat(tx: Tx, change: ChatChange, at: string): Promise<void> {
  switch (change.type) {
    case 'chat.added':
      return insertChat(tx, change.body, at)
    case 'chat.updated': {
      const { name, isGroup, unknownSenderPolicy, instanceId } = change.body
      await setChat(tx, change.data.id, {
        ...(name !== undefined && { name }),
        ...(isGroup !== undefined && { is_group: Number(isGroup) }),
        ...(unknownSenderPolicy !== undefined && { unknown_sender_policy: unknownSenderPolicy }),
        ...(instanceId !== undefined && { instance_id: instanceId }),
      })
      return
    }
    case 'chat.denied':
      return setChat(tx, change.data.id, { denied_at: at })
    case 'chat.removed':
      await tx.deleteFrom('user_dms').where('messaging_group_id', '=', change.data.id).execute()
      await tx.deleteFrom('chat_knocks').where('messaging_group_id', '=', change.data.id).execute()
      return setChat(tx, change.data.id, { removed_at: at })
    case 'wiring.added':
      return connect(tx, change.data, change.body, at)
    case 'wiring.updated':
      await tx
        .updateTable('messaging_group_agents')
        .set(wiringColumns(change.body))
        .where('id', '=', change.data.id)
        .execute()
      return
    case 'wiring.removed':
      return disconnect(tx, change.data.id)
    case 'destination.added': {
      const { agentGroupId, localName, targetType, targetId } = change.data
      return insertDestination(tx, { agentGroupId, localName, targetType, targetId, wiringId: null }, at)
    }
    case 'destination.removed':
      await tx
        .deleteFrom('agent_destinations')
        .where('agent_group_id', '=', change.data.agentGroupId)
        .where('local_name', '=', change.data.localName)
        .execute()
      return
    case 'stranger.noted':
      return countStranger(tx, change.data, at)
    case 'dm.noted': {
      const { userId: user_id, channelType: channel_type, chatId: messaging_group_id } = change.data
      await tx
        .insertInto('user_dms')
        .values({ user_id, channel_type, messaging_group_id, resolved_at: at })
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'channel_type']).doUpdateSet({ messaging_group_id, resolved_at: at }),
        )
        .execute()
      return
    }
    default:
      change satisfies never
  }
}

async function insertChat(tx: Tx, chat: Extract<ChatChange, { type: 'chat.added' }>['body'], at: string) {
  const values = {
    channel_type: chat.channelType,
    platform_id: chat.platformId,
    name: chat.name,
    is_group: Number(chat.isGroup),
    unknown_sender_policy: chat.unknownSenderPolicy,
    instance_id: chat.instanceId,
    denied_at: null,
    removed_at: null,
  }
  await tx
    .insertInto('messaging_groups')
    .values({ id: chat.id, created_at: at, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
}

async function setChat(tx: Tx, id: MessagingGroupId, values: Partial<Row<'messaging_groups'>>): Promise<void> {
  if (Object.keys(values).length > 0)
    await tx.updateTable('messaging_groups').set(values).where('id', '=', id).execute()
}

const wiringColumns = (settings: Partial<WiringSettings>): Partial<Row<'messaging_group_agents'>> => ({
  ...(settings.sessionMode !== undefined && { session_mode: settings.sessionMode }),
  ...(settings.priority !== undefined && { priority: settings.priority }),
  ...(settings.engageMode !== undefined && { engage_mode: settings.engageMode }),
  ...(settings.engagePattern !== undefined && { engage_pattern: settings.engagePattern }),
  ...(settings.senderScope !== undefined && { sender_scope: settings.senderScope }),
  ...(settings.ignoredMessagePolicy !== undefined && { ignored_message_policy: settings.ignoredMessagePolicy }),
  ...(settings.verbosity !== undefined && { verbosity: settings.verbosity }),
})

/** The only place that writes a wiring: with the destination it makes, and the chat is no longer denied. */
export async function connect(
  tx: Tx,
  wiring: WiringState & { localName: string | null },
  settings: WiringSettings,
  at: string,
  imported: { trigger_rules: string | null; response_scope: string | null } = {
    trigger_rules: null,
    response_scope: 'all',
  },
): Promise<void> {
  const { id, chatId, agentGroupId, localName } = wiring
  await tx
    .insertInto('messaging_group_agents')
    .values({
      id,
      messaging_group_id: chatId,
      agent_group_id: agentGroupId,
      ...imported,
      session_mode: settings.sessionMode,
      priority: settings.priority,
      engage_mode: settings.engageMode,
      engage_pattern: settings.engagePattern,
      sender_scope: settings.senderScope,
      ignored_message_policy: settings.ignoredMessagePolicy,
      verbosity: settings.verbosity,
      created_at: at,
    })
    .execute()
  if (localName !== null)
    await insertDestination(tx, { agentGroupId, localName, targetType: 'channel', targetId: chatId, wiringId: id }, at)
  await setChat(tx, chatId, { denied_at: null })
}

/** The only place that removes a wiring; its destination goes with it. */
async function disconnect(tx: Tx, id: WiringId): Promise<void> {
  await tx.deleteFrom('agent_destinations').where('wiring_id', '=', id).execute()
  await tx.deleteFrom('messaging_group_agents').where('id', '=', id).execute()
}

export async function insertDestination(tx: Tx, destination: DestinationState, at: string): Promise<void> {
  await tx
    .insertInto('agent_destinations')
    .values({
      agent_group_id: destination.agentGroupId,
      local_name: destination.localName,
      target_type: destination.targetType,
      target_id: destination.targetId,
      wiring_id: destination.wiringId,
      created_at: at,
    })
    .execute()
}

/** Two at once: the second insert is refused by the index, and the command is tried again. */
async function countStranger(
  tx: Tx,
  stranger: Extract<ChatChange, { type: 'stranger.noted' }>['data'],
  at: string,
): Promise<void> {
  const { channelType, platformId, identity, name, reason, chatId, agentGroupId } = stranger
  const seen = { sender_name: name, reason, messaging_group_id: chatId, agent_group_id: agentGroupId, last_seen: at }
  const counted = await tx
    .updateTable('unregistered_senders')
    .set((eb) => ({ ...seen, message_count: eb('message_count', '+', 1) }))
    .where('channel_type', '=', channelType)
    .where('platform_id', '=', platformId)
    // As in the index, or the more strangers a chat has, the longer each message takes.
    .where(sql<string>`coalesce(user_id, '')`, '=', identity ?? '')
    .returning('message_count')
    .execute()
  if (counted.length > 0) return
  await tx
    .insertInto('unregistered_senders')
    .values({
      channel_type: channelType,
      platform_id: platformId,
      user_id: identity,
      ...seen,
      message_count: 1,
      first_seen: at,
    })
    .execute()
}

/** The name under which an identity wrote last. */
export async function strangerName(db: Executor, identity: string): Promise<string | null> {
  const row = await db
    .selectFrom('unregistered_senders')
    .select('sender_name')
    .where('user_id', '=', identity)
    .orderBy('last_seen', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.sender_name ?? null
}

/** The chat in which a person gets direct messages on a platform. */
export async function directChat(db: Executor, userId: UserId, channelType: string): Promise<Chat | undefined> {
  const row = await db
    .selectFrom('user_dms')
    .innerJoin('messaging_groups', 'messaging_groups.id', 'user_dms.messaging_group_id')
    .selectAll('messaging_groups')
    .where('user_dms.user_id', '=', userId)
    .where('user_dms.channel_type', '=', channelType)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && toChat(row)
}

/** Chats, wirings and destinations, for lists. */
export const listChats = async (db: Executor): Promise<Chat[]> =>
  (await db.selectFrom('messaging_groups').selectAll().where('removed_at', 'is', null).orderBy('created_at').execute())
    .map(toChat)
    .map(({ removed: _removed, ...chat }) => chat)

export const listWirings = async (db: Executor): Promise<Wiring[]> =>
  (await db.selectFrom('messaging_group_agents').selectAll().orderBy('created_at').orderBy('id').execute()).map(
    toWiring,
  )

export const listDestinations = async (db: Executor): Promise<AgentDestination[]> =>
  (await db.selectFrom('agent_destinations').selectAll().orderBy('agent_group_id').orderBy('local_name').execute()).map(
    toDestination,
  )

/** Those seen last come first. */
export async function listStrangers(db: Executor, limit: number): Promise<Stranger[]> {
  const rows = await db
    .selectFrom('unregistered_senders')
    .selectAll()
    .orderBy('last_seen', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    channelType: row.channel_type,
    platformId: row.platform_id,
    identity: row.user_id,
    name: row.sender_name,
    reason: row.reason,
    chatId: row.messaging_group_id,
    agentGroupId: row.agent_group_id,
    messageCount: row.message_count,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
  }))
}
