import { threadOfSession } from '../../../domain/chat-post/records.ts'
import type { ChatInstance } from '../../../domain/chat-instance/schema.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import { ChatCommand, type Chat } from '../../../domain/chat/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { newId } from '../../../lib/id.ts'
import type { App } from '../../app.ts'
import { platformIdOf } from '../records.ts'
import { seeing } from '../seeing.ts'
import { hasChannels, homeOf, replyThread } from './where.ts'

/** Where things about a session are posted. */
export type SessionPlace = {
  readonly chatId: MessagingGroupId
  readonly thread: string | null
  readonly verbose: boolean
}

const longestLineage = 100

/** Finds the thread of a session, if it is on this instance (X11). */
export function createSessionPlaces(
  app: Pick<App, 'chat' | 'read' | 'dispatch'>,
  instance: Pick<ChatInstance, 'id' | 'name' | 'platform'>,
  { opensThreads }: { readonly opensThreads: boolean },
) {
  type Known = Chat & { readonly removed: boolean }
  const isHere = (chat: Known | undefined): chat is Known =>
    chat !== undefined && !chat.removed && chat.instanceId === instance.id

  async function startedIn(
    id: MessagingGroupId,
    thread: string | null,
    { agentGroupId }: Session,
  ): Promise<SessionPlace | null> {
    if (!isHere(await app.chat.chat(id))) return null
    const wiring = (await app.chat.wirings(id)).find((one) => one.agentGroupId === agentGroupId)
    return { chatId: id, thread, verbose: wiring?.verbosity === 'verbose' }
  }

  async function lastHeardIn(session: Session): Promise<SessionPlace | null> {
    const last = await app.chat.lastMessageTo(session.id)
    if (!last || last.instanceId !== instance.id) return null
    const chat = await app.chat.chatAt(instance, last.message.chat.id)
    if (!chat || chat.removed) return null
    const wiring = (await app.chat.wirings(chat.id)).find(({ id }) => id === last.wiringId)
    const thread = replyThread(last.message, opensThreads)
    return { chatId: chat.id, thread, verbose: wiring?.verbosity === 'verbose' }
  }

  /** Its first message opens a thread there. */
  async function inChannel(channelId: string, session: Session): Promise<SessionPlace | null> {
    if (!hasChannels(instance)) return null
    const known = await app.chat.chatAt(instance, channelId)
    const chat = isHere(known) ? known : await added(channelId)
    return chat && { chatId: chat.id, thread: threadOfSession(await rootOf(session)), verbose: false }
  }

  async function added(channelId: string): Promise<Chat | null> {
    const place = { channelType: instance.platform, platformId: platformIdOf(instance, channelId) }
    const add = { type: 'chat.add', id: newId(), ...place, isGroup: true, instanceId: instance.id }
    await app.dispatch(ChatCommand.parse(add), seeing.actor)
    const chat = await app.chat.chatAt(instance, channelId)
    return chat && !chat.removed ? chat : null
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
    const home = homeOf(session)
    switch (home.kind) {
      case 'nowhere':
        return null
      case 'started_in':
        return startedIn(home.chatId, home.thread, session)
      case 'last_heard':
        return lastHeardIn(session)
      case 'channel':
        return inChannel(home.channelId, session)
      default:
        return home satisfies never
    }
  }
}
