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
import { emojiName } from './emoji.ts'
import { chatRef, formCallback, readReply, type FormOrigin } from './receive.ts'
import { renderSlack } from './render.ts'
import type { WebApi } from './web-api.ts'

/** Marks our messages, so that one in doubt is found again. */
export const metadataType = 'signalbox_post'

const MessageBody = z.object({ text: z.string(), blocks: z.array(z.json()), broadcast: z.boolean().optional() })
const FileBody = z.object({ comment: z.string().nullable() })
const Posted = z.looseObject({ ts: z.string() })
const PostedEphemeral = z.looseObject({ message_ts: z.string() })
const Opened = z.looseObject({ channel: z.looseObject({ id: z.string() }) })
const UploadUrl = z.looseObject({ upload_url: z.string(), file_id: z.string() })
const Shares = z.record(z.string(), z.array(z.looseObject({ ts: z.string() })))
const FileInfo = z.looseObject({
  file: z.looseObject({
    url_private_download: z.string().optional(),
    url_private: z.string().optional(),
    shares: z.looseObject({ public: Shares.optional(), private: Shares.optional() }).optional(),
  }),
})
const Done = z.looseObject({})

/** Everything we do in a workspace. Each call goes out once. */
export function createSlackSender(webApi: WebApi) {
  async function send(message: Outgoing, stop: AbortSignal): Promise<Sent> {
    if (message.rendered.file) return sendFile(message, stop)
    const body = MessageBody.safeParse(message.rendered.body)
    if (!body.success) return permanent('this message was not rendered for Slack')
    const posted = await webApi.call(
      'chat.postMessage',
      {
        channel: message.chat,
        ...(message.thread !== null && {
          thread_ts: message.thread,
          ...(body.data.broadcast && { reply_broadcast: true }),
        }),
        text: body.data.text,
        ...(body.data.blocks.length > 0 && { blocks: body.data.blocks }),
        metadata: { event_type: metadataType, event_payload: { key: message.key } },
        unfurl_links: false,
        unfurl_media: false,
        link_names: false,
      },
      Posted,
      stop,
    )
    return posted.kind === 'answered' ? { kind: 'sent', messageId: posted.value.ts } : posted
  }

  /** Uploads the file. Nobody sees it until `send` shares it. */
  async function prepare(
    { rendered: { file } }: Outgoing,
    stop: AbortSignal,
  ): Promise<{ kind: 'prepared'; prepared: string } | Failure> {
    if (!file) return { kind: 'prepared', prepared: '' }
    const args = { filename: file.name, length: file.bytes.length }
    // This method takes no JSON.
    const place = await webApi.call('files.getUploadURLExternal', new URLSearchParams(asText(args)), UploadUrl, stop)
    if (place.kind !== 'answered') return harmless(place)
    const uploaded = await webApi.upload(place.value.upload_url, file.bytes, stop)
    return uploaded.kind === 'uploaded' ? { kind: 'prepared', prepared: place.value.file_id } : harmless(uploaded)
  }

  async function sendFile({ chat, thread, rendered, prepared }: Outgoing, stop: AbortSignal): Promise<Sent> {
    const body = FileBody.safeParse(rendered.body)
    if (!body.success || !rendered.file || !prepared) return permanent('this file was not uploaded')
    const shared = await webApi.call(
      'files.completeUploadExternal',
      {
        files: [{ id: prepared, title: rendered.file.name }],
        channel_id: chat,
        ...(thread !== null && { thread_ts: thread }),
        ...(body.data.comment !== null && { initial_comment: body.data.comment }),
      },
      Done,
      stop,
    )
    if (shared.kind !== 'answered') return shared
    const info = await fileInfo(prepared, stop)
    const shares = info.kind === 'answered' ? info.value.file.shares : undefined
    const [share] = shares?.public?.[chat] ?? shares?.private?.[chat] ?? []
    // Slack shares it a moment later. Until then the file's own id is all there is.
    return { kind: 'sent', messageId: share?.ts ?? prepared }
  }

  const fileInfo = (id: string, stop: AbortSignal) =>
    webApi.call('files.info', new URLSearchParams({ file: id }), FileInfo, stop)

  async function edit(place: MessagePlace, { rendered }: Outgoing, stop: AbortSignal): Promise<Sent> {
    const body = MessageBody.safeParse(rendered.body)
    if (!body.success) return permanent('a file cannot be edited')
    // Blocks that are left out would stay, and with them the buttons.
    const { text, blocks } = body.data
    const args = { channel: place.chat, ts: place.messageId, text, blocks, link_names: false }
    const updated = await webApi.call('chat.update', args, Done, stop)
    return updated.kind === 'answered' ? { kind: 'sent', messageId: place.messageId } : updated
  }

  async function react(place: MessagePlace, emoji: string, stop: AbortSignal): Promise<Sent> {
    const name = emojiName(emoji)
    if (name === null) return permanent(`Slack has no name for the emoji ${emoji}`)
    const args = { channel: place.chat, timestamp: place.messageId, name }
    const added = await webApi.call('reactions.add', args, Done, stop)
    const isThere = added.kind === 'answered' || ('error' in added && added.error.includes('already_reacted'))
    return isThere ? { kind: 'sent', messageId: place.messageId } : added
  }

  async function openDirect(handle: string): Promise<{ kind: 'open'; chat: ChatRef } | Failure> {
    const opened = await webApi.call('conversations.open', { users: handle }, Opened, never)
    return opened.kind === 'answered' ? { kind: 'open', chat: chatRef(opened.value.channel.id, 'im') } : opened
  }

  /** Ephemeral in the same place; if we are not there, by the address that came with the command; else directly. */
  const privately = (to: PrivateReader, content: Exclude<Content, { kind: 'file' }>): Promise<Sent> =>
    tellParts(renderSlack(content), MessageBody, (body) => tellOne(to, body))

  async function tellOne(to: PrivateReader, { text, blocks }: z.infer<typeof MessageBody>): Promise<Sent> {
    const said = { text, ...(blocks.length > 0 && { blocks }) }
    const inThread = to.thread === null ? {} : { thread_ts: to.thread }
    if (chatRef(to.chat).isDirect) return post({ channel: to.chat, ...inThread, ...said })
    const args = { channel: to.chat, user: to.handle, ...inThread, ...said }
    const told = await webApi.call('chat.postEphemeral', args, PostedEphemeral, never)
    if (told.kind === 'answered') return { kind: 'sent', messageId: told.value.message_ts }
    if (told.kind !== 'gone') return told
    const url = to.reply === undefined ? null : (readReply(to.reply)?.url ?? null)
    if (url !== null) {
      const response = { response_type: 'ephemeral', replace_original: false, ...said }
      const responded = await webApi.respond(url, response, never)
      if (responded.kind === 'responded') return { kind: 'sent', messageId: '' }
    }
    const direct = await openDirect(to.handle)
    return direct.kind === 'open' ? post({ channel: direct.chat.id, ...said }) : direct
  }

  async function post(args: object): Promise<Sent> {
    const posted = await webApi.call('chat.postMessage', args, Posted, never)
    return posted.kind === 'answered' ? { kind: 'sent', messageId: posted.value.ts } : posted
  }

  async function openForm(form: Form, at: MessagePlace, reply: ReplyToken): Promise<{ kind: 'opened' } | Failure> {
    const trigger = readReply(reply)?.trigger
    // Slack answers ok in a thread, but shows nothing.
    if (at.thread !== null || !trigger) return permanent('Slack shows no forms here')
    const { action, title, label, submit } = form
    const origin: z.infer<typeof FormOrigin> = { action, chat: at.chat, thread: null, messageId: at.messageId }
    const plain = (text: string, most: number) => ({ type: 'plain_text', text: text.slice(0, most) })
    const view = {
      type: 'modal',
      callback_id: formCallback,
      private_metadata: JSON.stringify(origin),
      // A title has at most 24 characters.
      title: plain(title.length > 24 ? 'Signalbox' : title, 24),
      submit: plain(submit, 24),
      blocks: [
        {
          type: 'input',
          block_id: 'text',
          label: plain(title.length > 24 ? `${title}: ${label}` : label, 2000),
          element: { type: 'plain_text_input', action_id: 'text', multiline: true, max_length: 3000 },
        },
      ],
    }
    const opened = await webApi.call('views.open', { trigger_id: trigger, view }, Done, never)
    return opened.kind === 'answered' ? { kind: 'opened' } : opened
  }

  async function fetchFile(
    ref: FileRef,
    mostBytes: number,
    stop: AbortSignal,
  ): Promise<{ kind: 'file'; bytes: Buffer } | Failure> {
    if (ref.bytes !== null && ref.bytes > mostBytes) return largerThan(mostBytes)
    const info = await fileInfo(ref.id, stop)
    if (info.kind !== 'answered') return harmless(info)
    const { url_private_download: download, url_private: other } = info.value.file
    const url = download ?? other
    if (url === undefined) return permanent('Slack has no address for this file')
    const file = await webApi.download(url, mostBytes, stop)
    return file.kind === 'file' ? file : harmless(file)
  }

  return { send, prepare, edit, react, openDirect, privately, openForm, fetchFile }
}

const asText = (args: Record<string, string | number>): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]))
