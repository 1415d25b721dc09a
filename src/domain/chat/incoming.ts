import * as z from 'zod'

/** What platforms report. The schemas are the bounds: an event that exceeds them is refused, and never stored. */

/** Ids of platforms are short. Longer ones are not from the platform. */
const PlatformId = z.string().min(1).max(200)
const At = z.iso.datetime()

/** Identifies an event for ever within its instance: a second delivery has the same key. */
const EventKey = z.string().min(1).max(300)

/** More than any platform allows in one message (Slack: 40,000 characters). */
export const mostTextIn = 100_000
const mostFilesIn = 50

export const ChatRef = z.object({
  /** The platform's id of the chat. */
  id: PlatformId,
  /** Null if the event does not say. */
  name: z.string().max(500).nullable(),
  isGroup: z.boolean(),
  isDirect: z.boolean(),
})
export type ChatRef = z.infer<typeof ChatRef>

export const ChatSender = z.object({
  /** The platform's id of the person; what `openDirect`, `privately` and `Card.mention` take. */
  handle: PlatformId,
  /** `slack:U…`, `tg:…` or `discord:…`, as in `user_identities`. */
  identity: z.string().min(1).max(220),
  name: z.string().max(500).nullable(),
  isBot: z.boolean(),
})
export type ChatSender = z.infer<typeof ChatSender>

/** A file that somebody sent. Its bytes are fetched later by `fetchFile`. */
export const FileRef = z.object({
  /** Opaque; enough for `fetchFile` of the same platform. */
  id: z.string().min(1).max(3000),
  name: z.string().max(500),
  mime: z.string().max(200).nullable(),
  bytes: z.int().nonnegative().nullable(),
})
export type FileRef = z.infer<typeof FileRef>

/** What answers a click, command or form privately, or opens a form. Opaque, secret, and valid for minutes only. */
export const ReplyToken = z.string().min(1).max(4000)
export type ReplyToken = z.infer<typeof ReplyToken>

const inChat = { key: EventKey, chat: ChatRef, at: At }
const inThread = { ...inChat, thread: PlatformId.nullable(), sender: ChatSender }

export const Incoming = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    ...inThread,
    messageId: PlatformId,
    /** Without our own mention. Plain text: the platform's escapes and link marks are already undone. */
    text: z.string().max(mostTextIn),
    mentionsUs: z.boolean(),
    files: z.array(FileRef).max(mostFilesIn),
    /** The message that this one quotes or replies to. */
    replyTo: PlatformId.nullable(),
  }),
  z.object({
    kind: z.literal('click'),
    ...inThread,
    messageId: PlatformId,
    /** `Button.action` of the button. */
    action: z.string().min(1).max(300),
    reply: ReplyToken,
  }),
  /** `/signalbox …`; the text is what follows the name of the command. */
  z.object({ kind: z.literal('command'), ...inThread, text: z.string().max(mostTextIn), reply: ReplyToken }),
  /** A submitted form: `action` and `messageId` are those of `Form`. */
  z.object({
    kind: z.literal('form'),
    ...inThread,
    messageId: PlatformId,
    action: z.string().min(1).max(300),
    text: z.string().max(mostTextIn),
    reply: ReplyToken,
  }),
  /** We were added to a chat, or removed from it. `by` is who did it, if the platform says. */
  z.object({ kind: z.literal('joined'), ...inChat, by: ChatSender.nullable() }),
  z.object({ kind: z.literal('left'), ...inChat }),
])
export type Incoming = z.infer<typeof Incoming>
export type IncomingMessage = Extract<Incoming, { kind: 'message' }>
