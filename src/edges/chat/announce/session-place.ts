import type { App } from '../../../app/app.ts'
import { platformIdOf } from '../../../app/chat/records.ts'
import { threadOfSession } from '../../../domain/chat-post/records.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import { ChatCommand } from '../../../domain/chat/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { systemStanding } from '../../../domain/user/actor.ts'
import { newId } from '../../../lib/id.ts'
import type { Connected } from '../host/connections.ts'

export const seeing = systemStanding('chat')

/** Where things about a session are posted. */
export type SessionPlace = {
  readonly chatId: MessagingGroupId
  readonly thread: string | null
  readonly verbose: boolean
}

const longestLineage = 100

/** Finds the thread of a session, if it is on this instance (X11). */
export function createSessionPlaces(app: Pick<App, 'chat' | 'read' | 'dispatch'>, { instance, platform }: Connected) {
  /** The chat where it was started. */
  async function startedIn(id: MessagingGroupId, { agentGroupId, threadId }: Session): Promise<SessionPlace | null> {
    const chat = await app.chat.chat(id)
    if (!chat || chat.removed || chat.instanceId !== instance.id) return null
    const wiring = (await app.chat.wirings(id)).find((one) => one.agentGroupId === agentGroupId)
    return { chatId: id, thread: threadId, verbose: wiring?.verbosity === 'verbose' }
  }

  /** A session for all chats of its agent group speaks where it was spoken to last. */
  async function lastHeardIn(session: Session): Promise<SessionPlace | null> {
    const last = await app.chat.lastMessageTo(session.id)
    if (!last || last.instanceId !== instance.id) return null
    const { chat: where, thread, messageId } = last.message
    const chat = await app.chat.chatAt(instance, where.id)
    if (!chat || chat.removed) return null
    const wiring = (await app.chat.wirings(chat.id)).find(({ id }) => id === last.wiringId)
    const opened = platform.opensThreads && where.isGroup ? messageId : null
    return { chatId: chat.id, thread: thread ?? opened, verbose: wiring?.verbosity === 'verbose' }
  }

  /** The channel of its workspace; its first message opens a thread there. */
  async function inChannel(channelId: string, session: Session): Promise<SessionPlace | null> {
    // Channel ids of the configuration are Slack's (X10). Of several instances, the one named like its platform has them.
    if (instance.platform !== 'slack' || instance.name !== instance.platform) return null
    const known = await app.chat.chatAt(instance, channelId)
    if (known && !known.removed && known.instanceId === instance.id)
      return { chatId: known.id, thread: threadOfSession(await rootOf(session)), verbose: false }
    const place = { channelType: instance.platform, platformId: platformIdOf(instance, channelId) }
    const add = { type: 'chat.add', id: newId(), ...place, isGroup: true, instanceId: instance.id }
    await app.dispatch(ChatCommand.parse(add), seeing.actor)
    const chat = await app.chat.chatAt(instance, channelId)
    return chat && !chat.removed
      ? { chatId: chat.id, thread: threadOfSession(await rootOf(session)), verbose: false }
      : null
  }

  /** A session that continues another one stays in its thread (X4). */
  async function rootOf({ id, restartOf, channelId }: Session): Promise<SessionId> {
    let root = id
    let before = restartOf
    for (let steps = 0; before !== null && steps < longestLineage; steps += 1) {
      const session = await app.read.session(seeing, before)
      if (!session.ok || session.value.channelId !== channelId) break
      const posts = await app.chat.posts.about({ kind: 'session', id: before })
      if (posts.some(({ instanceId }) => instanceId === instance.id)) root = before
      before = session.value.restartOf
    }
    return root
  }

  return async function placeOf(session: Session): Promise<SessionPlace | null> {
    // R14: a local session is announced in no chat.
    if (session.mode === 'local') return null
    if (session.messagingGroupId !== null) return startedIn(session.messagingGroupId, session)
    if (session.agentGroupId !== null) return lastHeardIn(session)
    return session.channelId === null ? null : inChannel(session.channelId, session)
  }
}
