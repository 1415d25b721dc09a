import { createHash } from 'node:crypto'
import { mostTextIn } from '../../../domain/chat/incoming.ts'
import type { ChatRef, ChatSender, FileRef, Incoming } from '../adapter.ts'
import type { Ids } from './ids.ts'
import type { SdkAdapter, SdkAttachment, SdkAuthor, SdkClick, SdkCommand, SdkMessage } from './sdk.ts'

const mostFiles = 50
const command = '/signalbox'

/** Events of an adapter, as ours. */
export function createIncoming(adapter: SdkAdapter, ids: Ids, idPrefix: string) {
  const now = (): string => new Date().toISOString()

  async function placeOf(threadId: string): Promise<{ chat: ChatRef; thread: string | null }> {
    const channel = adapter.channelIdFromThreadId?.(threadId) ?? threadId
    const isDirect = adapter.isDM?.(threadId) ?? false
    const chat = { id: await ids.fromAdapter(channel), name: null, isGroup: !isDirect, isDirect }
    return { chat, thread: channel === threadId ? null : await ids.fromAdapter(threadId) }
  }

  async function senderOf({ userId, fullName, userName, isBot }: SdkAuthor): Promise<ChatSender> {
    const handle = await ids.shorten(String(userId))
    const name = (fullName || userName || '').slice(0, 500)
    return { handle, identity: `${idPrefix}:${handle}`, name: name || null, isBot: isBot === true }
  }

  return {
    /** Null for our own messages. */
    async message(threadId: string, message: SdkMessage): Promise<Incoming | null> {
      if (message.author.isMe) return null
      const place = await placeOf(threadId)
      const messageId = await ids.shorten(String(message.id))
      const sent = message.metadata?.dateSent
      return {
        kind: 'message',
        // An edited message has the same id: it is no new one.
        key: keyOf('message', threadId, message.id),
        ...place,
        sender: await senderOf(message.author),
        messageId,
        text: withoutMention(message.text ?? '', adapter).slice(0, mostTextIn),
        mentionsUs: message.isMention === true || place.chat.isDirect,
        files: (message.attachments ?? []).slice(0, mostFiles).flatMap(fileRef),
        replyTo: message.replyTo?.id === undefined ? null : await ids.shorten(String(message.replyTo.id)),
        at: sent instanceof Date && !Number.isNaN(sent.getTime()) ? sent.toISOString() : now(),
      }
    },
    async click({ actionId, messageId, threadId, triggerId, user, raw }: SdkClick): Promise<Incoming> {
      return {
        kind: 'click',
        key: keyOf('click', threadId, messageId, actionId, user.userId, rawText(raw)),
        ...(await placeOf(threadId)),
        sender: await senderOf(user),
        messageId: await ids.shorten(String(messageId)),
        action: actionId.slice(0, 300),
        reply: (triggerId || 'none').slice(0, 4000),
        at: now(),
      }
    },
    /** Other commands than ours are messages: some platforms make one of every text with a slash. */
    async command({ command: name, text, channelId, triggerId, user, raw }: SdkCommand): Promise<Incoming> {
      const key = keyOf('command', channelId, name, text, user.userId, rawText(raw))
      const common = { key, ...(await placeOf(channelId)), sender: await senderOf(user), at: now() }
      if (name === command)
        return {
          kind: 'command',
          ...common,
          text: text.slice(0, mostTextIn),
          reply: (triggerId || 'none').slice(0, 4000),
        }
      return {
        kind: 'message',
        ...common,
        messageId: key,
        text: `${name} ${text}`.trim().slice(0, mostTextIn),
        mentionsUs: common.chat.isDirect,
        files: [],
        replyTo: null,
      }
    },
  }
}

/** The adapter's own ids of events are not known to us, but an event that comes again is the same. */
const keyOf = (...parts: readonly (string | number)[]): string =>
  `${parts[0]}:${createHash('sha256').update(parts.join('\n')).digest('base64url')}`

function rawText(raw: unknown): string {
  try {
    return JSON.stringify(raw) ?? ''
  } catch {
    return ''
  }
}

function withoutMention(text: string, { userName, botUserId }: SdkAdapter): string {
  const names = [userName && `@${userName}`, botUserId && `<@${botUserId}>`, botUserId && `@${botUserId}`]
  const start = text.trimStart()
  const mention = names.find((name) => name && start.toLowerCase().startsWith(name.toLowerCase()))
  if (!mention) return text
  const rest = start.slice(mention.length)
  // `@ann` does not mention us if we are `@an`.
  return /^[\w-]/.test(rest) ? text : rest.replace(/^[\s:,]+/, '')
}

function fileRef({ type, name, mimeType, size, url, fetchMetadata }: SdkAttachment): FileRef[] {
  const id = JSON.stringify({ type, name, mimeType, size, url, fetchMetadata })
  if (id.length > 3000) return []
  const bytes = typeof size === 'number' && Number.isInteger(size) && size >= 0 ? size : null
  return [{ id, name: (name || type).slice(0, 500), mime: mimeType?.slice(0, 200) ?? null, bytes }]
}
