import { loadGroup } from '../../../domain/agent-group/store.ts'
import { threadOfSession } from '../../../domain/chat-post/records.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import type { IncomingMessage } from '../../../domain/chat/incoming.ts'
import type { AgentDestination } from '../../../domain/chat/schema.ts'
import { lastMessageTo } from '../../../domain/chat/store-deliveries.ts'
import { chatsNamed } from '../../../domain/chat/store-channels.ts'
import { loadChat, loadChatAt, loadDestinations } from '../../../domain/chat/store.ts'
import { loadInstance } from '../../../domain/chat-instance/store.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { AgentGroupId } from '../../../domain/user/id.ts'
import type { Executor } from '../../../db/open.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { platformIdOf } from '../records.ts'
import { unknownDestination } from './faults.ts'

/** The session whose agent sends something. */
export type SendingSession = Pick<
  Session,
  'id' | 'ownerUserId' | 'agentGroupId' | 'messagingGroupId' | 'threadId' | 'threadTs' | 'channelId'
>

export type Place = { readonly chatId: MessagingGroupId; readonly thread: string | null }
export type Target =
  | ({ readonly type: 'channel' } & Place)
  | { readonly type: 'agent'; readonly agentGroupId: AgentGroupId }

export type Described = { readonly name: string; readonly type: 'channel' | 'agent'; readonly description: string }

/** The name of the session's own thread, for a session without an agent group. */
const ownName = 'here'

/** The thread of the session; the chat itself if all its messages share one session. */
async function ownThread(db: Executor, session: SendingSession): Promise<Place | null> {
  const { id, messagingGroupId, threadId, threadTs, channelId } = session
  if (messagingGroupId !== null) return { chatId: messagingGroupId, thread: threadId ?? threadTs }
  if (channelId === null) return null
  // A channel of the configuration has no platform, so its name must be unique.
  const [only, ...others] = await chatsNamed(db, channelId)
  return only !== undefined && others.length === 0 ? { chatId: only, thread: threadTs ?? threadOfSession(id) } : null
}

/** Where an incoming message can be replied to. */
export async function placeOfMessage(
  db: Executor,
  session: SendingSession,
  { instanceId, message }: { instanceId: Parameters<typeof loadInstance>[1]; message: IncomingMessage },
): Promise<Place | null> {
  const instance = await loadInstance(db, instanceId)
  if (!instance) return null
  const platformId = platformIdOf(instance, message.chat.id)
  const chat = await loadChatAt(db, { channelType: instance.platform, platformId })
  if (!chat || chat.removed) return null
  const isOwn = session.messagingGroupId === chat.id && session.threadId !== null
  return { chatId: chat.id, thread: isOwn ? session.threadId : message.thread }
}

/** The chat and thread of the last message that reached the session, else its own thread. */
async function originOf(db: Executor, session: SendingSession): Promise<Place | null> {
  const last = await lastMessageTo(db, session.id)
  return (last && (await placeOfMessage(db, session, last))) ?? ownThread(db, session)
}

/** Read at each call, so that a running session sees every change at once. */
const destinationsOf = async (db: Executor, { agentGroupId }: SendingSession): Promise<AgentDestination[]> =>
  agentGroupId === null ? [] : loadDestinations(db, agentGroupId)

const leadsTo =
  (chatId: MessagingGroupId) =>
  ({ targetType, targetId }: AgentDestination): boolean =>
    targetType === 'channel' && targetId === chatId

/** Whether the session may post in a chat: its agent group has a destination there, or without one it is its own. */
export async function mayPostIn(db: Executor, session: SendingSession, chatId: MessagingGroupId): Promise<boolean> {
  if (session.agentGroupId === null) return (await ownThread(db, session))?.chatId === chatId
  return (await destinationsOf(db, session)).some(leadsTo(chatId))
}

/** What a name leads to; null is the origin. */
export async function targetOf(db: Executor, session: SendingSession, to: string | null): Promise<Result<Target>> {
  const known = await destinationsOf(db, session)
  const own = session.agentGroupId === null ? await ownThread(db, session) : null
  const unknown = () => unknownDestination(to, own ? [ownName] : known.map(({ localName }) => localName))
  if (session.agentGroupId === null)
    return own && (to === null || to === ownName) ? ok({ type: 'channel', ...own }) : unknown()
  if (to === null) {
    const origin = await originOf(db, session)
    return origin && known.some(leadsTo(origin.chatId)) ? ok({ type: 'channel', ...origin }) : unknown()
  }
  const found = known.find(({ localName }) => localName === to)
  if (!found) return unknown()
  if (found.targetType === 'agent') return ok({ type: 'agent', agentGroupId: found.targetId as AgentGroupId })
  const chatId = found.targetId as MessagingGroupId
  // Everything of a session stays in its thread.
  const thread = session.messagingGroupId === chatId ? session.threadId : null
  return ok({ type: 'channel', chatId, thread })
}

export async function describeDestinations(db: Executor, session: SendingSession): Promise<Described[]> {
  if (session.agentGroupId === null) {
    const own = await ownThread(db, session)
    return own ? [{ name: ownName, type: 'channel', description: "This session's own thread." }] : []
  }
  const described: Described[] = []
  for (const { localName, targetType, targetId } of await destinationsOf(db, session)) {
    const description =
      targetType === 'agent'
        ? await describeAgent(db, targetId as AgentGroupId)
        : await describeChat(db, targetId as MessagingGroupId)
    if (description !== null) described.push({ name: localName, type: targetType, description })
  }
  return described
}

async function describeChat(db: Executor, id: MessagingGroupId): Promise<string | null> {
  const chat = await loadChat(db, id)
  if (!chat || chat.removed) return null
  const what = chat.isGroup ? 'group chat' : 'chat'
  return `A ${what} on ${chat.channelType}: ${chat.name ?? chat.platformId}.`
}

async function describeAgent(db: Executor, id: AgentGroupId): Promise<string | null> {
  const group = await loadGroup(db, id)
  return group && group.removedAt === null ? `The agent ${group.name}.` : null
}
