import * as z from 'zod'
import type { ChatRef, Content, Failure, FileRef, MessagePlace, Outgoing, PrivateReader, Sent } from '../adapter.ts'
import { harmless, largerThan, never, permanent, tellParts } from '../http-call.ts'
import type { BotApi } from './bot-api.ts'
import { says } from './errors.ts'
import { Chat } from './frames.ts'
import { reactionOf } from './reactions.ts'
import { chatRef, readReply } from './receive.ts'
import { renderTelegram } from './render.ts'

export const MessageBody = z.object({ text: z.string(), keyboard: z.array(z.array(z.json())) })
export const FileBody = z.object({ caption: z.string().nullable() })
const Posted = z.looseObject({ message_id: z.int() })
const FilePath = z.looseObject({ file_path: z.string().optional() })
const Done = z.unknown()

/** A toast has at most so many characters. */
const mostToast = 200

/** The text as it is both sent and edited: HTML, and no previews of pages that agents name. */
export const asHtml = (text: string) => ({ text, parse_mode: 'HTML', link_preview_options: { is_disabled: true } })

/** Everything we do in chats. Each call goes out once. */
export function createTelegramSender(botApi: BotApi) {
  async function post(method: string, args: object, stop: AbortSignal): Promise<Sent> {
    const posted = await botApi.call(method, args, Posted, stop)
    if (posted.kind !== 'answered') return posted
    return { kind: 'sent', messageId: String(posted.value.message_id) }
  }

  async function send(message: Outgoing, stop: AbortSignal): Promise<Sent> {
    if (message.rendered.file) return sendFile(message, stop)
    const body = MessageBody.safeParse(message.rendered.body)
    if (!body.success) return permanent('this message was not rendered for Telegram')
    const { text, keyboard } = body.data
    const markup = keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }
    return post('sendMessage', { ...placeOf(message), ...asHtml(text), ...markup }, stop)
  }

  async function sendFile(message: Outgoing, stop: AbortSignal): Promise<Sent> {
    const { file, body } = message.rendered
    const parsed = FileBody.safeParse(body)
    if (!parsed.success || !file) return permanent('this file was not rendered for Telegram')
    const form = new FormData()
    for (const [name, value] of Object.entries(placeOf(message)))
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    if (parsed.data.caption !== null) {
      form.set('caption', parsed.data.caption)
      form.set('parse_mode', 'HTML')
    }
    // Else Telegram shows some files as music or pictures, and changes them.
    form.set('disable_content_type_detection', 'true')
    form.set('document', new Blob([new Uint8Array(file.bytes)]), file.name.toWellFormed())
    return post('sendDocument', form, stop)
  }

  async function edit(place: MessagePlace, { rendered }: Outgoing, stop: AbortSignal): Promise<Sent> {
    const body = MessageBody.safeParse(rendered.body)
    if (!body.success) return permanent('a file cannot be edited')
    const args = {
      chat_id: place.chat,
      message_id: Number(place.messageId),
      ...asHtml(body.data.text),
      // A keyboard that is left out is removed too, but only this says so.
      reply_markup: { inline_keyboard: body.data.keyboard },
    }
    const edited = await botApi.call('editMessageText', args, Done, stop)
    const isDone = edited.kind === 'answered' || says(edited, 'message is not modified')
    return isDone ? { kind: 'sent', messageId: place.messageId } : edited
  }

  async function react(place: MessagePlace, emoji: string, stop: AbortSignal): Promise<Sent> {
    const reaction = [{ type: 'emoji', emoji: reactionOf(emoji) }]
    const args = { chat_id: place.chat, message_id: Number(place.messageId), reaction }
    const set = await botApi.call('setMessageReaction', args, Done, stop)
    return set.kind === 'answered' ? { kind: 'sent', messageId: place.messageId } : set
  }

  /** The chat with a person has the person's id, but exists only if they wrote to us first. */
  async function openDirect(handle: string): Promise<{ kind: 'open'; chat: ChatRef } | Failure> {
    const found = await botApi.call('getChat', { chat_id: handle }, Chat, never)
    if (found.kind !== 'answered') return harmless(found)
    const chat = chatRef(found.value)
    return chat.isDirect ? { kind: 'open', chat } : { kind: 'gone', error: `${handle} is not a person` }
  }

  /** A toast if it answers a click and is short, else a direct message. */
  async function privately(to: PrivateReader, content: Exclude<Content, { kind: 'file' }>): Promise<Sent> {
    const query = to.reply === undefined ? null : (readReply(to.reply)?.query ?? null)
    const toast = content.kind === 'text' ? content.text.trim() : ''
    if (query !== null && toast !== '' && toast.length <= mostToast) {
      const told = await botApi.call('answerCallbackQuery', { callback_query_id: query, text: toast }, Done, never)
      if (told.kind === 'answered') return { kind: 'sent', messageId: '' }
      if (told.kind !== 'permanent') return told
      // A click can be answered for a few minutes only.
      return tell(to.handle, content)
    }
    const told = await tell(to.handle, content)
    // The button shows that it waits until its click is answered.
    if (query !== null) await botApi.call('answerCallbackQuery', { callback_query_id: query }, Done, never)
    return told
  }

  async function acknowledge(reply: string): Promise<void> {
    const query = readReply(reply)?.query ?? null
    if (query !== null) await botApi.call('answerCallbackQuery', { callback_query_id: query }, Done, never)
  }

  const tell = (person: string, content: Content): Promise<Sent> =>
    tellParts(renderTelegram(content), MessageBody, ({ text, keyboard }) =>
      post('sendMessage', { chat_id: person, ...asHtml(text), reply_markup: { inline_keyboard: keyboard } }, never),
    )

  async function fetchFile(
    ref: FileRef,
    mostBytes: number,
    stop: AbortSignal,
  ): Promise<{ kind: 'file'; bytes: Buffer } | Failure> {
    if (ref.bytes !== null && ref.bytes > mostBytes) return largerThan(mostBytes)
    const found = await botApi.call('getFile', { file_id: ref.id }, FilePath, stop)
    if (found.kind !== 'answered') return harmless(found)
    const path = found.value.file_path
    if (path === undefined) return permanent('Telegram has no address for this file')
    const file = await botApi.download(path, mostBytes, stop)
    return file.kind === 'file' ? file : harmless(file)
  }

  return { send, acknowledge, edit, react, openDirect, privately, fetchFile }
}

/** Where a message goes. One whose replied message is gone is sent all the same. */
const placeOf = ({ chat, thread, replyTo }: Outgoing): Record<string, unknown> => ({
  chat_id: chat,
  ...(thread !== null && { message_thread_id: Number(thread) }),
  ...(replyTo !== null && {
    reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true },
  }),
})
