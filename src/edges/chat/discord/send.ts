import * as z from 'zod'
import type {
  ChatRef,
  Content,
  Failure,
  FileRef,
  Form,
  MessagePlace,
  Outgoing,
  PrivateReader,
  ReplyToken,
  Sent,
} from '../adapter.ts'
import { harmless, largerThan, never, permanent, tellParts } from '../http-call.ts'
import { codes, type RestFailure } from './errors.ts'
import { ephemeral, responseTypes, type Interactions } from './interactions.ts'
import { readReply, type Reply } from './receive.ts'
import { formPrefix, mostFileBytes, renderDiscord } from './render.ts'
import type { Request, Rest } from './rest.ts'
import { Snowflake } from './snowflake.ts'

export const MessageBody = z.object({
  content: z.string(),
  embeds: z.array(z.looseObject({ description: z.string().optional() })),
  components: z.array(z.json()),
  flags: z.int(),
  mention: z.string().nullable(),
  everyone: z.boolean().optional(),
})
type Body = z.infer<typeof MessageBody>

const Posted = z.looseObject({ id: Snowflake })
const Done = z.unknown()

/** How long a thread without messages stays in the list of its channel, in minutes: a week. */
const archiveAfter = 10_080
const mostTitle = 45
const mostDescription = 100
/** Commands that have an answer. Their tokens are valid for 15 minutes. */
const mostFilled = 1000

/** A UUID in 22 characters: Discord takes 25. */
export const nonceOf = (key: string): string => Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')

/** What people see of a message. Nobody is mentioned but those the card is for. */
const shown = ({ content, embeds, components, flags, mention, everyone }: Body) => ({
  content,
  embeds,
  // Left out, the buttons of before would stay.
  components,
  flags,
  allowed_mentions: {
    parse: everyone ? ['everyone'] : [],
    ...(mention !== null && { users: [mention] }),
    replied_user: false,
  },
})

type Deps = { rest: Rest; interactions: Interactions; appId(): string | null }

/** Everything we do on Discord. Each call that people can see goes out once. */
export function createDiscordSender({ rest, interactions, appId }: Deps) {
  const filled = new Set<string>()

  async function send(message: Outgoing, stop: AbortSignal): Promise<Sent> {
    const body = MessageBody.safeParse(message.rendered.body)
    if (!body.success) return permanent('this message was not rendered for Discord')
    const { file } = message.rendered
    if (file && file.bytes.length > mostFileBytes) return permanent('the file is larger than 10 MiB')
    const posted = await post(message.thread ?? message.chat, body.data, message, stop)
    if (posted.kind === 'sent' || message.thread === null || posted.code !== codes.unknownChannel) return posted
    // Nothing was posted: the thread does not exist yet.
    const started = await startThread(message, message.thread, body.data, stop)
    return started.kind === 'started' ? post(started.channel, body.data, message, stop) : started
  }

  /**
   * With the same nonce, Discord returns the message that it has, for some minutes. Files are in the same call. A reply
   * to the message that began the thread needs no reference, and Discord refuses one to another channel.
   */
  async function post(
    channel: string,
    body: Body,
    { key, replyTo, thread, rendered: { file } }: Pick<Outgoing, 'key' | 'replyTo' | 'thread' | 'rendered'>,
    stop: AbortSignal,
  ): Promise<Extract<Sent, { kind: 'sent' }> | RestFailure> {
    const isReply = replyTo !== null && replyTo !== thread && Snowflake.safeParse(replyTo).success
    const payload = {
      ...shown(body),
      nonce: nonceOf(key),
      enforce_nonce: true,
      ...(isReply && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
      ...(file && { attachments: [{ id: 0, filename: file.name }] }),
    }
    const request: Request = {
      what: 'posting a message',
      method: 'POST',
      path: `channels/${encodeURIComponent(channel)}/messages`,
      body: file ? withFile(payload, file) : payload,
    }
    const posted = await rest.call(request, Posted, stop)
    return posted.kind === 'answered' ? { kind: 'sent', messageId: posted.value.id } : posted
  }

  /** Under the message with the id `root`. The thread has the same id. Repeating it does no harm. */
  async function startThread(
    { chat }: Outgoing,
    root: string,
    body: Body,
    stop: AbortSignal,
  ): Promise<{ kind: 'started'; channel: string } | RestFailure> {
    const path = `channels/${encodeURIComponent(chat)}/messages/${encodeURIComponent(root)}/threads`
    const request: Request = {
      what: 'starting a thread',
      method: 'POST',
      path,
      body: { name: threadName(body), auto_archive_duration: archiveAfter },
    }
    const started = await rest.call(request, Posted, stop)
    if (started.kind === 'answered') return { kind: 'started', channel: started.value.id }
    if (started.code === codes.threadExists) return { kind: 'started', channel: root }
    // Direct messages and some channels have no threads, so the answer is in the chat itself.
    if (started.code === codes.wrongChannelType) return { kind: 'started', channel: chat }
    return harmless(started)
  }

  /** The message that began a thread is in the channel above it, and so is everything if there are no threads. */
  async function inPlace(
    { chat, thread, messageId }: MessagePlace,
    request: (path: string) => Request,
    stop: AbortSignal,
  ): Promise<Sent> {
    const at = (channel: string) =>
      request(`channels/${encodeURIComponent(channel)}/messages/${encodeURIComponent(messageId)}`)
    const first = thread === null || thread === messageId ? chat : thread
    let done = await rest.call(at(first), Done, stop)
    if (done.kind === 'gone' && done.code === codes.unknownChannel && first !== chat)
      done = await rest.call(at(chat), Done, stop)
    return done.kind === 'answered' ? { kind: 'sent', messageId } : done
  }

  async function edit(place: MessagePlace, { rendered }: Outgoing, stop: AbortSignal): Promise<Sent> {
    const body = MessageBody.safeParse(rendered.body)
    if (!body.success || rendered.file) return permanent('a file cannot be edited')
    return inPlace(
      place,
      (path) => ({ what: 'editing a message', method: 'PATCH', path, body: shown(body.data) }),
      stop,
    )
  }

  const react = (place: MessagePlace, emoji: string, stop: AbortSignal): Promise<Sent> =>
    inPlace(
      place,
      (path) => ({
        what: 'adding a reaction',
        method: 'PUT',
        path: `${path}/reactions/${encodeURIComponent(emoji)}/@me`,
      }),
      stop,
    )

  async function openDirect(handle: string): Promise<{ kind: 'open'; chat: ChatRef } | Failure> {
    if (!Snowflake.safeParse(handle).success) return { kind: 'gone', error: 'not the id of a person on Discord' }
    const body = { recipient_id: handle }
    const request: Request = { what: 'opening a direct chat', method: 'POST', path: 'users/@me/channels', body }
    const opened = await rest.call(request, Posted, never)
    if (opened.kind !== 'answered') return harmless(opened)
    return { kind: 'open', chat: { id: opened.value.id, name: null, isGroup: false, isDirect: true } }
  }

  /** As an answer that only the person who clicked or asked sees; without such a click, as a direct message. */
  const privately = (to: PrivateReader, content: Exclude<Content, { kind: 'file' }>): Promise<Sent> =>
    tellParts(renderDiscord(content), MessageBody, (body) => tellOne(to, body))

  async function tellOne(to: PrivateReader, body: Body): Promise<Sent> {
    const reply = to.reply === undefined ? null : readReply(to.reply)
    const answered = reply && (await answer(reply, body))
    if (answered && answered.kind !== 'gone') return answered
    const direct = await openDirect(to.handle)
    if (direct.kind !== 'open') return direct
    const path = `channels/${direct.chat.id}/messages`
    const request: Request = { what: 'posting a direct message', method: 'POST', path, body: shown(body) }
    const posted = await rest.call(request, Posted, never)
    return posted.kind === 'answered' ? { kind: 'sent', messageId: posted.value.id } : posted
  }

  /** The first answer fills what says that we are working on it; the next ones follow. */
  async function answer(reply: Reply, body: Body): Promise<Sent> {
    const hidden = { ...shown(body), flags: body.flags | ephemeral }
    const first = await interactions.respondFirst(reply, { type: responseTypes.message, data: hidden })
    const fills = first === null && reply.fills && !filled.has(reply.id)
    filled.add(reply.id)
    const [oldest] = filled
    if (filled.size > mostFilled && oldest !== undefined) filled.delete(oldest)
    if (first) return first.kind === 'responded' ? { kind: 'sent', messageId: '' } : first
    const app = appId()
    if (app === null) return { kind: 'gone', error: 'the id of the app is not known yet' }
    const path = `webhooks/${app}/${encodeURIComponent(reply.token)}`
    const request: Request = fills
      ? { what: 'answering', method: 'PATCH', path: `${path}/messages/@original`, body: shown(body), anonymous: true }
      : { what: 'answering', method: 'POST', path, body: hidden, anonymous: true }
    const told = await rest.call(request, Posted, never)
    return told.kind === 'answered' ? { kind: 'sent', messageId: told.value.id } : told
  }

  async function openForm(form: Form, _at: MessagePlace, token: ReplyToken): Promise<{ kind: 'opened' } | Failure> {
    const { action, title, label } = form
    const reply = readReply(token)
    const id = `${formPrefix}${action}`
    if (!reply || id.length > 100) return permanent('Discord shows no form here')
    const field = {
      type: 18,
      label: label.slice(0, mostTitle),
      ...((title.length > mostTitle || label.length > mostTitle) && {
        description: `${title}: ${label}`.slice(0, mostDescription),
      }),
      component: { type: 4, custom_id: 'text', style: 2, required: true, max_length: 4000 },
    }
    const data = { custom_id: id, title: title.length > mostTitle ? 'Signalbox' : title, components: [field] }
    const opened = await interactions.respondFirst(reply, { type: responseTypes.form, data })
    // By HTTP, and after a restart, the click was acknowledged before we could know that a form is wanted.
    if (!opened) return permanent('Discord shows a form only as the first answer to a click')
    return opened.kind === 'responded' ? { kind: 'opened' } : opened
  }

  async function fetchFile(
    ref: FileRef,
    mostBytes: number,
    stop: AbortSignal,
  ): Promise<{ kind: 'file'; bytes: Buffer } | Failure> {
    if (ref.bytes !== null && ref.bytes > mostBytes) return largerThan(mostBytes)
    const file = await rest.download(ref.id, mostBytes, stop)
    return file.kind === 'file' ? file : harmless(file)
  }

  return { send, edit, react, openDirect, privately, openForm, fetchFile }
}

function withFile(payload: object, { name, bytes }: { name: string; bytes: Buffer }): FormData {
  const form = new FormData()
  form.set('payload_json', JSON.stringify(payload))
  form.set('files[0]', new Blob([new Uint8Array(bytes)]), name)
  return form
}

/** The first line of what is said in it, without marks: a name is shown as it is. */
function threadName({ content }: Body): string {
  const [line = ''] = content
    .replaceAll(/<@\d+>|[\\*_~`|<>[\]#@\u200b]/g, '')
    .trim()
    .split('\n')
  return line.slice(0, 90).toWellFormed().trim() || 'Signalbox'
}
