import * as z from 'zod'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import type { ChatRef, ChatSender, FileRef } from '../adapter.ts'
import { firstIssue, ignored, malformed, take, type Received } from '../received.ts'
import { readMrkdwn } from './incoming-text.ts'
import {
  AnyEvent,
  BlockActions,
  EventCallback,
  LeftEvent,
  MemberEvent,
  MessageEvent,
  SlashCommand,
  ViewSubmission,
  type SlackMessage,
} from './frames.ts'

/** Our own user id in the workspace; null if it is not known yet, then the event itself says it. */
export type Self = { readonly userId: string | null }

/** What answers a click or command, as `ReplyToken`. */
const Reply = z.object({ url: z.string().nullable(), trigger: z.string().nullable() })
export const readReply = (token: string): z.infer<typeof Reply> | null => jsonOrNull(token, Reply)
const replyOf = (url: string | null | undefined, trigger: string | null | undefined): string =>
  JSON.stringify({ url: url ?? null, trigger: trigger ?? null } satisfies z.infer<typeof Reply>)

/** Kept by Slack in an open form, and returned with it. */
export const FormOrigin = z.object({
  action: z.string().max(300),
  chat: z.string().max(100),
  thread: z.string().max(100).nullable(),
  messageId: z.string().max(100),
})
export const formCallback = 'signalbox_form'

export function chatRef(id: string, type?: string | null, name?: string | null): ChatRef {
  const isDirect = type === 'im' || type === 'app_home' || (!type && id.startsWith('D'))
  return { id, name: name ?? null, isGroup: !isDirect, isDirect }
}

const senderOf = (handle: string, name?: string | null): ChatSender => ({
  handle,
  identity: `slack:${handle}`,
  name: name ?? null,
  isBot: false,
})

const timeOf = (ts: string): string => new Date(Math.floor(Number(ts) * 1000)).toISOString()

/** Messages that people write. Everything else with a subtype is about the channel, or an edit. */
const written = new Set(['file_share', 'thread_broadcast', 'me_message'])

/** An event of the Events API, by socket or HTTP. */
export function receiveEvent(payload: unknown, self: Self): Received {
  const callback = EventCallback.safeParse(payload)
  if (!callback.success) return malformed(firstIssue(callback.error))
  const { event, event_id: eventId, event_time: time, authorizations } = callback.data
  const own = self.userId ?? authorizations?.find((one) => one.is_bot)?.user_id ?? null
  const at = new Date((time ?? 0) * 1000)
  const when = Number.isNaN(at.getTime()) ? new Date(0).toISOString() : at.toISOString()
  switch (event.type) {
    case 'message':
    case 'app_mention': {
      // Subtypes have forms of their own, so they are sorted out before the check.
      const subtype = z.looseObject({ subtype: z.string().nullish() }).safeParse(event).data?.subtype
      if (subtype && !written.has(subtype)) return ignored(`a message with the subtype ${subtype.slice(0, 100)}`)
      const message = MessageEvent.safeParse(event)
      if (!message.success) return malformed(firstIssue(message.error))
      const { channel, channel_type: type } = message.data
      return receiveMessage(message.data, chatRef(channel, type), own, event.type === 'app_mention')
    }
    case 'member_joined_channel':
    case 'member_left_channel': {
      const member = MemberEvent.safeParse(event)
      if (!member.success) return malformed(firstIssue(member.error))
      const { user, channel, inviter, type } = member.data
      if (user !== own) return ignored('about another member')
      const about = { key: eventId, chat: chatRef(channel), at: when }
      if (type === 'member_left_channel') return take({ kind: 'left', ...about })
      return take({ kind: 'joined', ...about, by: inviter ? senderOf(inviter) : null })
    }
    case 'channel_left':
    case 'group_left': {
      const left = LeftEvent.safeParse(event)
      if (!left.success) return malformed(firstIssue(left.error))
      return take({ kind: 'left', key: eventId, chat: chatRef(left.data.channel), at: when })
    }
    default:
      return ignored(`an event of the type ${event.type}`)
  }
}

/** A message of an event or of the history. Both have the same key, so that it counts once. */
export function receiveMessage(message: SlackMessage, chat: ChatRef, own: string | null, isMention = false): Received {
  const { ts, subtype, user, bot_id: botId, text, thread_ts: threadTs, files } = message
  if (subtype && !written.has(subtype)) return ignored(`a message with the subtype ${subtype}`)
  if (botId || !user || user === own || user === 'USLACKBOT') return ignored('a message of a bot')
  const read = readMrkdwn(text ?? '', own)
  return take({
    kind: 'message',
    // A mention arrives as two events, `message` and `app_mention`, with two event ids.
    key: `${chat.id}:${ts}`,
    chat,
    thread: threadTs && threadTs !== ts ? threadTs : null,
    messageId: ts,
    sender: senderOf(user),
    text: read.text,
    mentionsUs: isMention || read.mentionsUs,
    files: (files ?? []).flatMap(fileRef),
    replyTo: null,
    at: timeOf(ts),
  })
}

type File = NonNullable<SlackMessage['files']>[number]

/** A `tombstone` is a file that was deleted. */
const fileRef = ({ id, name, mimetype, size, mode }: File): FileRef[] =>
  mode === 'tombstone' ? [] : [{ id, name: (name || id).slice(0, 500), mime: mimetype ?? null, bytes: size ?? null }]

/** A click or a submitted form. `deliveryId` is the envelope's; by HTTP there is none. */
export function receiveInteraction(payload: unknown, deliveryId: string | null, now: number): Received {
  const any = AnyEvent.safeParse(payload)
  if (!any.success) return malformed(firstIssue(any.error))
  if (any.data.type === 'block_actions') return receiveClick(payload, deliveryId)
  if (any.data.type === 'view_submission') return receiveForm(payload, now)
  return ignored(`an interaction of the type ${any.data.type}`)
}

function receiveClick(payload: unknown, deliveryId: string | null): Received {
  const click = BlockActions.safeParse(payload)
  if (!click.success) return malformed(firstIssue(click.error))
  const { user, channel, container, actions, trigger_id: trigger, response_url: url } = click.data
  const [action] = actions
  const pressed = action?.value || action?.action_id
  if (!pressed) return malformed('a click without an action')
  const { message_ts: ts, thread_ts: threadTs } = container
  return take({
    kind: 'click',
    key: `click:${deliveryId ?? trigger}`,
    chat: chatRef(channel.id, null, channel.id.startsWith('D') ? null : channel.name),
    thread: threadTs && threadTs !== ts ? threadTs : null,
    messageId: ts,
    sender: senderOf(user.id, user.name ?? user.username),
    action: pressed,
    reply: replyOf(url, trigger),
    at: timeOf(action?.action_ts ?? ts),
  })
}

function receiveForm(payload: unknown, now: number): Received {
  const form = ViewSubmission.safeParse(payload)
  if (!form.success) return malformed(firstIssue(form.error))
  const { user, view, trigger_id: trigger } = form.data
  if (view.callback_id !== formCallback) return ignored('a form that is not ours')
  const origin = jsonOrNull(view.private_metadata, FormOrigin)
  if (!origin) return malformed('a form without its origin')
  const [entered] = Object.values(view.state.values).flatMap((block) => Object.values(block))
  return take({
    kind: 'form',
    // A view is submitted once.
    key: `form:${view.id}`,
    chat: chatRef(origin.chat),
    thread: origin.thread,
    messageId: origin.messageId,
    sender: senderOf(user.id, user.name ?? user.username),
    action: origin.action,
    text: entered?.value ?? '',
    reply: replyOf(null, trigger),
    // The event has no time; that of the message would be wrong.
    at: new Date(now).toISOString(),
  })
}

/** `/signalbox …`. Slack has no slash commands inside threads. */
export function receiveCommand(payload: unknown, deliveryId: string | null, now: number): Received {
  const command = SlashCommand.safeParse(payload)
  if (!command.success) return malformed(firstIssue(command.error))
  const { text, user_id: user, user_name: userName, channel_id: channel, channel_name: channelName } = command.data
  const { trigger_id: trigger, response_url: url } = command.data
  const isNamed = channelName && channelName !== 'directmessage' && channelName !== 'privategroup'
  return take({
    kind: 'command',
    key: `command:${deliveryId ?? trigger}`,
    chat: chatRef(channel, null, isNamed ? channelName : null),
    thread: null,
    sender: senderOf(user, userName),
    text: readMrkdwn(text ?? '', null).text,
    reply: replyOf(url, trigger),
    at: new Date(now).toISOString(),
  })
}
