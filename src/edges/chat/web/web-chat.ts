import type { WebChatPort } from '../../../app/chat/chat-port.ts'
import type { ChatInstance, ChatInstanceId } from '../../../domain/chat-instance/schema.ts'
import type { ChatRef, Incoming } from '../../../domain/chat/incoming.ts'
import { ChatCommand, type Chat } from '../../../domain/chat/schema.ts'
import { webChatId, webIdentity, webPlatform } from '../../../domain/chat/web-chat.ts'
import type { AgentGroupId, UserId } from '../../../domain/user/id.ts'
import { iso } from '../../../lib/clock.ts'
import { newId } from '../../../lib/id.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { laneOf, type HostDeps } from '../host/instance-deps.ts'
import { web } from './platform.ts'
import { seeing } from '../../../app/chat/seeing.ts'

const command = /^\/signalbox\b\s*/i

/** Takes what people write in the dashboard, like events of any other platform. */
export function createWebChat({ app, seal, clock, took }: HostDeps & { took(): void }): WebChatPort {
  const dispatch = (wanted: Parameters<typeof app.dispatch>[0]) => app.dispatch(wanted, seeing.actor)

  const known = async () =>
    (await app.chat.instances.list()).find(({ platform, name }) => platform === webPlatform && name === webPlatform)

  /** There is one for the whole server; it is made with the first message. */
  async function instanceOf(): Promise<Result<ChatInstance | undefined>> {
    const found = await known()
    if (found) return ok(found)
    if (!seal.ok) return seal
    const sealed = (id: ChatInstanceId) => seal.value.seal({}, id)
    const id = newId<ChatInstanceId>()
    const naming = { platform: webPlatform, name: webPlatform, title: web.title, settings: {} }
    await dispatch({ type: 'instance.add', id, ...naming, credentials: sealed(id) })
    const made = await known()
    // One that was removed comes back under its old id.
    if (made && made.id !== id) await dispatch({ type: 'instance.update', id: made.id, credentials: sealed(made.id) })
    return ok(made)
  }

  async function chatOf(instance: ChatInstance, userId: UserId, agentGroupId: AgentGroupId): Promise<Chat | undefined> {
    const at = webChatId(userId, agentGroupId)
    const look = async () => {
      const chat = await app.chat.chatAt(instance, at)
      return chat && !chat.removed && chat.instanceId === instance.id ? chat : undefined
    }
    let chat = await look()
    if (!chat) {
      const user = await app.read.user(seeing, userId)
      const name = user.ok ? user.value.displayName : null
      const place = { channelType: webPlatform, platformId: at, name, instanceId: instance.id }
      await dispatch(ChatCommand.parse({ type: 'chat.add', id: newId(), ...place }))
      chat = await look()
    }
    const isWired = chat && (await app.chat.wirings(chat.id)).some((one) => one.agentGroupId === agentGroupId)
    if (chat && !isWired) {
      const every = { engageMode: 'pattern', engagePattern: '.' }
      const wiring = { type: 'wiring.add', id: newId(), chatId: chat.id, agentGroupId, ...every }
      const wired = await dispatch(ChatCommand.parse(wiring))
      if (!wired.ok && wired.fault.code !== 'wiring_exists') return undefined
    }
    return chat
  }

  async function take(
    userId: UserId,
    agentGroupId: AgentGroupId,
    eventOf: (chat: ChatRef, at: string) => Incoming,
  ): Promise<Result<void>> {
    const made = await instanceOf()
    if (!made.ok) return made
    const instance = made.value
    const chat = instance && (await chatOf(instance, userId, agentGroupId))
    if (!instance || !chat) return fail(unavailable)
    if (instance.wanted !== 'running') return fail(stopped)
    const at = iso(clock.now())
    const id = webChatId(userId, agentGroupId)
    const event = eventOf({ id, name: null, isGroup: false, isDirect: true }, at)
    await app.chat.inbox.add({ instanceId: instance.id, lane: laneOf(web, instance.id, event), event }, at)
    took()
    app.live.publish({ sessionId: null, type: 'web_chat.changed', data: { userId, agentGroupId } })
    return ok(undefined)
  }

  const senderOf = (userId: UserId) => ({ handle: userId, identity: webIdentity(userId), name: null, isBot: false })

  return {
    sayOnWeb: (userId, agentGroupId, { id, text }) =>
      take(userId, agentGroupId, (chat, at) => ({
        kind: 'message',
        key: `${chat.id}/${id}`,
        chat,
        at,
        thread: null,
        sender: senderOf(userId),
        messageId: id,
        text: text.replace(command, ''),
        mentionsUs: command.test(text),
        files: [],
        replyTo: null,
      })),
    pressOnWeb: (userId, agentGroupId, { messageId, action }) =>
      take(userId, agentGroupId, (chat, at) => ({
        kind: 'click',
        key: `press/${newId()}`,
        chat,
        at,
        thread: null,
        sender: senderOf(userId),
        messageId,
        action,
        reply: messageId,
      })),
  }
}

const unavailable = {
  kind: 'unavailable' as const,
  code: 'web_chat_unavailable',
  message: 'The web chat could not be opened.',
  hint: 'Try again. If it keeps failing, the reason is in the log of the server.',
}

const stopped = {
  kind: 'conflict' as const,
  code: 'web_chat_stopped',
  message: 'The web chat is stopped.',
  hint: 'An owner can start it under Settings, Chats, Accounts.',
}
