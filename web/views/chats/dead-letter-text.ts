import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import type { Chat } from '../../../src/domain/chat/schema.ts'
import { safeText } from '../../ui/safe-text.ts'
import { nameOfChat, nameOfInstance } from './names.ts'
import { platformTitle } from './words.ts'

const classes: Readonly<Record<string, string>> = {
  permanent: 'Refused',
  gone: 'No longer there',
  transient: 'Not delivered',
  rate_limited: 'Too many messages',
  unsure: 'It may have arrived',
  failed: 'Failed',
}

/** `gone: channel_not_found` in words. */
export function deadReason(error: string): string {
  const [kind = '', ...rest] = error.split(': ')
  const words = classes[kind]
  if (words === undefined) return error
  const detail = rest.join(': ')
  return detail === '' ? words : `${words}: ${detail}`
}

/** The server names a chat that it knows; otherwise the destination is `instance/chat/thread`. */
export function destinationText(
  { follower, destination }: { follower: string; destination: string | null },
  chats: readonly Pick<Chat, 'id' | 'name' | 'platformId' | 'isGroup'>[],
  instances: readonly Pick<ChatInstance, 'id' | 'title' | 'platform'>[],
): string {
  if (follower === 'push') return 'a device'
  if (follower !== 'chat' || destination === null || !isPath.test(destination)) return named(destination ?? follower)
  const [instanceId, chatId, thread = ''] = destination.split('/')
  const chat = chats.find(({ id }) => id === chatId)
  const instance = instances.find(({ id }) => id === instanceId)
  const where = chat ? nameOfChat(chat) : 'a removed chat'
  return `${where}${instance ? ` on ${nameOfInstance(instance)}` : ''}${thread === '' ? '' : ', in a thread'}`
}

/** `slack general`, as the server names a chat, begins with a platform. */
function named(words: string): string {
  const [platform = '', ...name] = words.split(' ')
  return safeText([platformTitle(platform), ...name].join(' '))
}

const isPath = /^[0-9a-f]{8}-[0-9a-f-]{27}\//
