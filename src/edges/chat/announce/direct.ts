import type { App } from '../../../app/app.ts'
import { directKeyOf, platformIdOf } from '../../../app/chat/records.ts'
import { seeing } from '../../../app/chat/seeing.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import { ChatCommand } from '../../../domain/chat/schema.ts'
import type { UserId } from '../../../domain/user/id.ts'
import { newId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'
import type { Connected } from '../host/connections.ts'

/** The direct chat with a person on this instance; opened once and remembered. Null if there is none. */
export type DirectChats = (userId: UserId, handle: string) => Promise<MessagingGroupId | null>

export function createDirectChats(
  { app, log }: { app: Pick<App, 'chat' | 'dispatch' | 'read'>; log: Logger },
  { instance, platform, connection }: Connected,
): DirectChats {
  /** Two asks at once must not open it twice. */
  const queue = createKeyedQueue<UserId>()

  async function remembered(userId: UserId): Promise<MessagingGroupId | null> {
    const known = await app.chat.direct(userId, instance)
    return known?.instanceId === instance.id ? known.id : null
  }

  async function open(userId: UserId, handle: string): Promise<MessagingGroupId | null> {
    const known = await remembered(userId)
    if (known) return known
    const opened = await connection.openDirect(handle)
    if (opened.kind !== 'open') {
      log.info({ user: userId, error: opened.error }, 'no direct chat with this person')
      if (opened.kind === 'transient' || opened.kind === 'rate_limited' || opened.kind === 'unsure')
        throw new Error(`the direct chat could not be opened: ${opened.error}`)
      return null
    }
    const place = { channelType: platform.name, platformId: platformIdOf(instance, opened.chat.id) }
    // Slack names no direct chats. In lists an id alone tells nobody whose it is.
    const person = opened.chat.name === null ? await app.read.user(seeing, userId) : null
    const name = person?.ok ? person.value.displayName : opened.chat.name
    const add = { type: 'chat.add', id: newId(), ...place, name, instanceId: instance.id }
    await app.dispatch(ChatCommand.parse(add), seeing.actor)
    const chat = await app.chat.chatAt(instance, opened.chat.id)
    if (!chat || chat.removed) return null
    await app.dispatch({ type: 'dm.note', userId, channelType: directKeyOf(instance), chatId: chat.id }, seeing.actor)
    return chat.id
  }

  return (userId, handle) => queue.run(userId, () => open(userId, handle))
}
