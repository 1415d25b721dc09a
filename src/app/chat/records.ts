import type { Database } from '../../db/open.ts'
import type { Guard } from '../../db/leases.ts'
import {
  listInstances,
  loadConnecting,
  loadInstance,
  setCursor,
  setInstanceState,
} from '../../domain/chat-instance/store.ts'
import type { InstanceState } from '../../domain/chat-instance/schema.ts'
import type { AlertId } from '../../domain/alert/schema.ts'
import { noteAlertInSlack } from '../../domain/alert/store.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { noteAskInSlack } from '../../domain/ask/store.ts'
import type { ChatPost, ChatPostId, PostSubject } from '../../domain/chat-post/records.ts'
import {
  lastSentBefore,
  loadPost,
  loadPostFile,
  noteAttempt,
  noteLooked,
  noteResent,
  noteSent,
  ownAmong,
  postByMessage,
  postsAbout,
} from '../../domain/chat-post/store.ts'
import type { ChatInstanceId, InboxId, MessagingGroupId } from '../../domain/chat/id.ts'
import { postponeEvent } from '../../domain/chat/store-holds.ts'
import {
  addEvent,
  dueEvents,
  lastSeenIn,
  nextEventAt,
  settleEvent,
  storedAmong,
  type NewInboxRow,
} from '../../domain/chat/store-inbox.ts'
import { lastMessageTo } from '../../domain/chat/store-deliveries.ts'
import { liveThreads, watchedChats } from '../../domain/chat/store-sessions.ts'
import { identitiesOf } from '../../domain/user/query.ts'
import { isOnlyKnownAs } from '../../domain/user/store-entry.ts'
import { directChat, loadChat, loadChatAt, loadDestinations, loadWirings } from '../../domain/chat/store.ts'
import type { MessageId } from '../../domain/message/schema.ts'
import { countMessages, messagesById } from '../../domain/message/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { sessionsOwnedBy } from '../../domain/session/store-clients.ts'
import type { AgentGroupId, UserId } from '../../domain/user/id.ts'
import type { Json } from '../../lib/json.ts'
import { bridgeState, statePrefix } from './bridge-state.ts'
import { handleOf, type PeopleOf } from './identities.ts'

/** Records of the chat edge. They need no decision, so they are not commands. */
export type ChatRecords = ReturnType<typeof chatRecords>

/** `platform_id` of a chat: with the instance's name, unless it is named like its platform. */
export const platformIdOf = (instance: { name: string; platform: string }, chatId: string): string =>
  instance.name === instance.platform ? chatId : `${instance.name}/${chatId}`

/** The platform's own id of a chat. */
export const chatIdOf = (instance: { name: string; platform: string }, platformId: string): string =>
  instance.name === instance.platform ? platformId : platformId.slice(instance.name.length + 1)

/** `channel_type` of a direct chat with a person: one for each account. */
export const directKeyOf = (instance: { name: string; platform: string }): string =>
  platformIdOf(instance, instance.platform)

export const chatRecords = ({ read, write, flavor }: Pick<Database, 'read' | 'write' | 'flavor'>) => ({
  instances: {
    list: () => listInstances(read),
    get: (id: ChatInstanceId) => loadInstance(read, id),
    /** Sealed credentials, and where to continue. */
    connecting: (id: ChatInstanceId) => loadConnecting(read, id),
    setState: (
      id: ChatInstanceId,
      state: { state: InstanceState; error: string | null; nodeId: string | null },
      at: string,
    ) => setInstanceState(write, id, state, at),
    /** A cursor that moves without an event. */
    setCursor: (id: ChatInstanceId, cursor: Json) => setCursor(write, id, cursor),
  },
  inbox: {
    /** The event and the cursor of its instance, in one transaction. False if the event was there already. */
    add: (row: NewInboxRow, at: string, guard?: Guard): Promise<boolean> =>
      write.transaction().execute(async (tx) => {
        await guard?.(tx)
        return addEvent(tx, row, at)
      }),
    /** Several at once, in this order. */
    addAll: (rows: readonly NewInboxRow[], at: string): Promise<void> =>
      write.transaction().execute(async (tx) => {
        for (const row of rows) await addEvent(tx, row, at)
      }),
    /** The oldest waiting event of each lane that is not busy. */
    due: (now: string, of: { instances: readonly ChatInstanceId[]; busy: readonly string[]; limit: number }) =>
      dueEvents(read, now, of),
    nextAt: (instances: readonly ChatInstanceId[]) => nextEventAt(read, instances),
    postpone: (id: InboxId, attempts: number, nextAt: string, error: string) =>
      postponeEvent(write, id, attempts, nextAt, error),
    /** The newest message of each of these threads that was stored; `''` is the chat itself. */
    lastSeen: (instanceId: ChatInstanceId, chatId: string) => lastSeenIn(read, instanceId, chatId),
    settle: (id: InboxId, to: { status: 'done' | 'ignored' | 'failed'; error?: string | null }, at: string) =>
      settleEvent(write, id, to, at),
  },
  posts: {
    get: (id: ChatPostId) => loadPost(read, id),
    file: (id: ChatPostId) => loadPostFile(read, id),
    about: (subject: PostSubject) => postsAbout(read, subject),
    byMessage: (chatId: MessagingGroupId, messageId: string) => postByMessage(read, chatId, messageId),
    lastBefore: (post: ChatPost, within: 'thread' | 'chat') => lastSentBefore(read, post, within),
    attempt: (id: ChatPostId, prepared: string | null, at: string) => noteAttempt(write, id, prepared, at),
    looked: (id: ChatPostId, lookedTo: string) => noteLooked(write, id, lookedTo),
    resent: (id: ChatPostId, at: string) => noteResent(write, id, at),
    /** The messages among these that are known: posts of ours, and what people wrote. */
    known: async (post: ChatPost, among: readonly { messageId: string; eventKey: string }[]) => {
      const ids = among.map(({ messageId }) => messageId)
      const ours = await ownAmong(read, post.chatId, ids)
      const heard = await storedAmong(
        read,
        post.instanceId,
        among.map(({ eventKey }) => eventKey),
      )
      return new Set(
        among.flatMap(({ messageId, eventKey }) => (ours.has(messageId) || heard.has(eventKey) ? [messageId] : [])),
      )
    },
    /** `inSlack`: an ask or an alert remembers its card there (R5). */
    sent: (id: ChatPostId, sent: { revision: number; messageId: string }, at: string, inSlack?: PostSubject) =>
      write.transaction().execute(async (tx) => {
        await noteSent(tx, id, sent, at)
        if (inSlack?.kind === 'ask') await noteAskInSlack(tx, inSlack.id as AskId, sent.messageId)
        if (inSlack?.kind === 'alert') await noteAlertInSlack(tx, inSlack.id as AlertId, sent.messageId)
      }),
  },
  /** What adapters of the Chat SDK remember for an instance. */
  bridgeState: (instance: { name: string; platform: string }, now: () => number) =>
    bridgeState({ write, flavor }, statePrefix(instance), now),
  chat: (id: MessagingGroupId) => loadChat(read, id),
  chatAt: (instance: { name: string; platform: string }, chatId: string) =>
    loadChatAt(read, { channelType: instance.platform, platformId: platformIdOf(instance, chatId) }),
  wirings: (id: MessagingGroupId) => loadWirings(read, id),
  destinations: (id: AgentGroupId) => loadDestinations(read, id),
  message: async (id: MessageId) => (await messagesById(read, [id]))[0],
  /** Those among these people who have an identity on this instance. */
  reachable: async (people: PeopleOf, among: readonly UserId[]) =>
    (await identitiesOf(read, people.idPrefix, among)).flatMap(({ userId, identity }) => {
      const handle = handleOf(people, identity)
      return handle === null ? [] : [{ userId, handle }]
    }),
  messageCount: (id: SessionId) => countMessages(read, id),
  /** Chats of an instance that agent groups listen in, or that sessions live in. */
  watched: (id: ChatInstanceId) => watchedChats(read, id),
  /** Threads of a chat that sessions live in, by the id of their first message. */
  threads: (chat: { id: MessagingGroupId; platformId: string }) => liveThreads(read, chat),
  direct: (userId: UserId, instance: { name: string; platform: string }) =>
    directChat(read, userId, directKeyOf(instance)),
  /** The last message that reached a session: replies go there. */
  lastMessageTo: (id: SessionId) => lastMessageTo(read, id),
  /** The sessions of a person who was made for this chat account; none if anyone can sign in as them. */
  sessionsOfAccount: async (userId: UserId, identity: string): Promise<SessionId[]> =>
    (await isOnlyKnownAs(read, userId, identity)) ? sessionsOwnedBy(read, userId) : [],
})
