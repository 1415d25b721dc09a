import * as z from 'zod'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import { Incoming, type ChatSender, type FileRef } from '../adapter.ts'
import type { Place } from './channels.ts'
import {
  AnyInteraction,
  CommandFrame,
  ComponentFrame,
  FormFrame,
  interactionTypes,
  type DiscordMessage,
  type InteractionFrame,
  type MessageEvent,
  type User,
} from './frames.ts'
import { readMarks } from './incoming-text.ts'
import { actionOf, formPrefix } from './render.ts'
import { Snowflake, timeOfId } from './snowflake.ts'

/** What to do with an event. The last two are passed over: another delivery would not change them. */
export type Received =
  | { readonly kind: 'take'; readonly event: Incoming }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'malformed'; readonly why: string }

/** What answers an interaction, as `ReplyToken`. `fills`: a reply replaces the sign that we are working on it. */
const Reply = z.object({ id: Snowflake, token: z.string().min(1).max(1000), fills: z.boolean() })
export type Reply = z.infer<typeof Reply>
export const readReply = (token: string): Reply | null => jsonOrNull(token, Reply)

export const ignored = (why: string): Received => ({ kind: 'ignored', why })
const malformed = (why: string): Received => ({ kind: 'malformed', why })
export const malformedBy = ({ issues: [issue] }: z.ZodError): Received =>
  malformed(issue ? `${issue.path.join('.')}: ${issue.message}`.slice(0, 300) : 'unknown format')

/** The bounds of `Incoming` hold for every platform. */
function take(event: Incoming): Received {
  const checked = Incoming.safeParse(event)
  return checked.success ? { kind: 'take', event: checked.data } : malformedBy(checked.error)
}

type Member = MessageEvent['member']

const nameOf = (user: z.infer<typeof User>, member?: Member): string | null =>
  member?.nick || user.global_name || user.username || null

const senderOf = (user: z.infer<typeof User>, member?: Member): ChatSender => ({
  handle: user.id,
  identity: `discord:${user.id}`,
  name: nameOf(user, member),
  isBot: user.bot ?? false,
})

/** Messages that people write, and replies. All others are about the channel, or from commands. */
const written = new Set([0, 19])

/** Why a message is not for us, before anything is looked up for it. */
export function notForUs({ type, author, webhook_id: webhook }: DiscordMessage, own: string | null): string | null {
  if (author.bot || author.system || webhook || author.id === own) return 'a message of a bot'
  return written.has(type ?? 0) ? null : `a message of the type ${type}`
}

type Reader = { readonly own: string | null; channelName(id: string): string | null }

/** A message of an event or of the history. Both have the same key, so that it counts once. */
export function receiveMessage(
  message: DiscordMessage & { member?: Member },
  place: Place,
  { own, channelName }: Reader,
): Received {
  const why = notForUs(message, own)
  if (why !== null) return ignored(why)
  const { id, author, content, mentions, attachments, message_reference: reference } = message
  const person = (handle: string): string | null => {
    const mentioned = mentions?.find((one) => one.id === handle)
    return mentioned ? nameOf(mentioned) : null
  }
  const read = readMarks(content ?? '', { own, person, channel: channelName })
  return take({
    kind: 'message',
    key: `message:${id}`,
    ...place,
    messageId: id,
    sender: senderOf(author, message.member),
    text: read.text,
    // A reply to us mentions us without a mark in the text.
    mentionsUs: read.mentionsUs || (mentions ?? []).some((one) => one.id === own),
    files: (attachments ?? []).map(fileRef),
    // A reference of another type is a forwarded message.
    replyTo: reference && !reference.type ? (reference.message_id ?? null) : null,
    at: timeOfId(id),
  })
}

/** The address is what fetches the file; it is valid for a day. */
const fileRef = (file: NonNullable<DiscordMessage['attachments']>[number]): FileRef => ({
  id: file.url,
  name: file.filename.slice(0, 500) || file.id,
  mime: file.content_type ?? null,
  bytes: file.size ?? null,
})

export const commandName = 'signalbox'
export const commandOption = 'text'

type PlaceOf = (channel: NonNullable<InteractionFrame['channel']>, isDirect: boolean) => Place

/** A click, command or submitted form, by the gateway or by HTTP. */
export function receiveInteraction(payload: unknown, placeOf: PlaceOf): Received {
  const any = AnyInteraction.safeParse(payload)
  if (!any.success) return malformedBy(any.error)
  switch (any.data.type) {
    case interactionTypes.command:
      return receiveCommand(payload, placeOf)
    case interactionTypes.component:
      return receiveClick(payload, placeOf)
    case interactionTypes.form:
      return receiveForm(payload, placeOf)
    default:
      return ignored(`an interaction of the type ${any.data.type}`)
  }
}

type Origin = { place: Place; sender: ChatSender; at: string; reply: string }

/** What all interactions have. Null if it has no channel or nobody who did it. */
function originOf(frame: InteractionFrame, placeOf: PlaceOf, fills: boolean): Origin | null {
  const { id, token, guild_id: guild, channel_id: channelId, channel, member, user } = frame
  const by = member?.user ?? user
  const where = channel ?? (channelId ? { id: channelId } : null)
  if (!by || !where) return null
  const reply = JSON.stringify({ id, token, fills } satisfies Reply)
  return { place: placeOf(where, !guild), sender: senderOf(by, member), at: timeOfId(id), reply }
}
const noOrigin = malformed('an interaction without a channel or a person')

function receiveClick(payload: unknown, placeOf: PlaceOf): Received {
  const click = ComponentFrame.safeParse(payload)
  if (!click.success) return malformedBy(click.error)
  const origin = originOf(click.data, placeOf, false)
  if (!origin) return noOrigin
  const action = actionOf(click.data.data.custom_id)
  if (action === null) return ignored('a component that is not ours')
  const { place, ...who } = origin
  const messageId = click.data.message.id
  return take({ kind: 'click', key: `click:${click.data.id}`, ...place, ...who, messageId, action })
}

function receiveForm(payload: unknown, placeOf: PlaceOf): Received {
  const form = FormFrame.safeParse(payload)
  if (!form.success) return malformedBy(form.error)
  const { id, message, data } = form.data
  if (!data.custom_id.startsWith(formPrefix)) return ignored('a form that is not ours')
  const origin = originOf(form.data, placeOf, false)
  if (!origin || !message) return noOrigin
  const [entered] = data.components.flatMap(({ component, components }) => [component, ...(components ?? [])])
  const { place, ...who } = origin
  const action = data.custom_id.slice(formPrefix.length)
  const text = entered?.value ?? ''
  return take({ kind: 'form', key: `form:${id}`, ...place, ...who, messageId: message.id, action, text })
}

/** `/signalbox text`. */
function receiveCommand(payload: unknown, placeOf: PlaceOf): Received {
  const command = CommandFrame.safeParse(payload)
  if (!command.success) return malformedBy(command.error)
  const { id, data } = command.data
  if (data.name !== commandName) return ignored('a command that is not ours')
  const origin = originOf(command.data, placeOf, true)
  if (!origin) return noOrigin
  const { place, ...who } = origin
  const option = data.options?.find(({ name }) => name === commandOption)?.value
  const text = typeof option === 'string' ? option : ''
  return take({ kind: 'command', key: `command:${id}`, ...place, ...who, text })
}
