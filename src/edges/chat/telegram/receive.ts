import * as z from 'zod'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import type { ChatRef, ChatSender, FileRef } from '../adapter.ts'
import { firstIssue, ignored, malformed, take, type Received } from '../received.ts'
import {
  CallbackQuery,
  ChatMemberUpdated,
  Message,
  Update,
  type Chat,
  type ChatMember,
  type File,
  type User,
} from './frames.ts'
import { readCommand, readText, type Self } from './incoming-text.ts'

/** What answers a click, as `ReplyToken`. Commands have no such answer. */
const Reply = z.object({ query: z.string().nullable() })
export const readReply = (token: string): z.infer<typeof Reply> | null => jsonOrNull(token, Reply)
const replyOf = (query: string | null): string => JSON.stringify({ query } satisfies z.infer<typeof Reply>)

/** An update, by polling or webhook. */
export function receiveUpdate(payload: unknown, self: Self, now: number): Received {
  const update = Update.safeParse(payload)
  if (!update.success) return malformed(firstIssue(update.error))
  const { update_id: id, message, callback_query: click, my_chat_member: member } = update.data
  if (message !== undefined) return receiveMessage(message, self)
  if (click !== undefined) return receiveClick(click, now)
  if (member !== undefined) return receiveMember(member, id)
  const kinds = Object.keys(update.data).filter((kind) => kind !== 'update_id')
  return ignored(`an update of the kind ${kinds.join(', ').slice(0, 100)}`)
}

const nameOf = ({ first_name: first, last_name: last, title }: Partial<Chat>): string | null =>
  title || [first, last].filter(Boolean).join(' ') || null

export const chatRef = (chat: Chat): ChatRef => ({
  id: String(chat.id),
  name: nameOf(chat),
  isGroup: chat.type !== 'private',
  isDirect: chat.type === 'private',
})

const senderOf = (user: User): ChatSender => ({
  handle: String(user.id),
  identity: `tg:${user.id}`,
  name: nameOf(user) ?? user.username ?? null,
  isBot: user.is_bot ?? false,
})

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

type InTopic = Pick<Message, 'message_thread_id' | 'is_topic_message'>
/** Replies outside of topics have a thread id too, but nothing can be sent there. */
const threadOf = ({ message_thread_id: thread, is_topic_message: isTopic }: InTopic): string | null =>
  isTopic && thread ? String(thread) : null

/** Ids of updates may start again somewhere else; a message has its id for ever. */
export const messageKey = (chat: string, messageId: number): string => `${chat}:${messageId}`

function receiveMessage(payload: unknown, self: Self): Received {
  const parsed = Message.safeParse(payload)
  if (!parsed.success) return malformed(firstIssue(parsed.error))
  const message = parsed.data
  const { message_id: id, from, sender_chat: senderChat, chat, date, reply_to_message: replied } = message
  // Messages in the name of a chat come from an account that several people share.
  if (!from || senderChat) return ignored('a message without a person')
  if (from.is_bot) return ignored('a message of a bot')
  const files = filesOf(message)
  const written = message.text ?? message.caption ?? ''
  if (written === '' && files.length === 0) return ignored('a message without text or files')
  const entities = message.entities ?? message.caption_entities ?? []
  const thread = threadOf(message)
  const place = {
    key: messageKey(String(chat.id), id),
    chat: chatRef(chat),
    thread,
    sender: senderOf(from),
    at: timeOf(date),
  }
  const command = files.length > 0 ? null : readCommand(written, entities, self, chat.type === 'private')
  if (command !== null) return take({ kind: 'command', ...place, text: command, reply: replyOf(null) })
  const replyTo = replied && String(replied.message_id)
  return take({
    kind: 'message',
    ...place,
    messageId: String(id),
    ...readText(written, entities, self),
    files,
    // Every message of a topic "replies" to the beginning of the topic.
    replyTo: replyTo && replyTo !== thread ? replyTo : null,
  })
}

function filesOf({ document, photo, audio, voice, video, video_note: note }: Message): FileRef[] {
  const size = ({ width, height }: { width: number; height: number }) => width * height
  const largest = photo?.toSorted((a, b) => size(b) - size(a))[0]
  return [
    ...(document ? [fileRef(document, 'file', null)] : []),
    ...(largest ? [fileRef(largest, 'photo.jpg', 'image/jpeg')] : []),
    ...(audio ? [fileRef(audio, 'audio.mp3', null)] : []),
    ...(voice ? [fileRef(voice, 'voice.ogg', 'audio/ogg')] : []),
    ...(video ? [fileRef(video, 'video.mp4', 'video/mp4')] : []),
    ...(note ? [fileRef(note, 'video.mp4', 'video/mp4')] : []),
  ]
}

const fileRef = (file: File, name: string, mime: string | null): FileRef => ({
  id: file.file_id,
  name: (file.file_name || name).slice(0, 500),
  mime: file.mime_type ?? mime,
  bytes: file.file_size ?? null,
})

function receiveClick(payload: unknown, now: number): Received {
  const click = CallbackQuery.safeParse(payload)
  if (!click.success) return malformed(firstIssue(click.error))
  const { id, from, message, data } = click.data
  if (!message || !data) return ignored('a click on a message that is not ours')
  return take({
    kind: 'click',
    key: `click:${id}`,
    chat: chatRef(message.chat),
    thread: threadOf(message),
    messageId: String(message.message_id),
    sender: senderOf(from),
    action: data,
    reply: replyOf(id),
    // The update has no time; that of the message would be wrong.
    at: new Date(now).toISOString(),
  })
}

const present = new Set(['creator', 'administrator', 'member'])
const isIn = ({ status, is_member: isMember }: ChatMember): boolean =>
  present.has(status) || (status === 'restricted' && isMember !== false)

/** Our own membership. In a direct chat: the person blocked us, or no longer does. */
function receiveMember(payload: unknown, updateId: number): Received {
  const member = ChatMemberUpdated.safeParse(payload)
  if (!member.success) return malformed(firstIssue(member.error))
  const { chat, from, date, old_chat_member: before, new_chat_member: after } = member.data
  if (isIn(before) === isIn(after)) return ignored('about our rights in a chat')
  const about = { key: `member:${chat.id}:${date}:${updateId}`, chat: chatRef(chat), at: timeOf(date) }
  return take(isIn(after) ? { kind: 'joined', ...about, by: senderOf(from) } : { kind: 'left', ...about })
}
