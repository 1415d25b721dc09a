import * as z from 'zod'
import type { Clock } from '../../lib/clock.ts'
import type { Json } from '../../lib/json.ts'
import type { Logger } from '../../lib/log.ts'

/**
 * The contract between Signalbox and a chat platform. A platform turns its own frames into `Incoming`, and `Content`
 * into its own messages. It decides nothing: who may do what, and what a click means, is decided behind it.
 *
 * Two rules hold for every platform. An incoming event is acknowledged after `Receiver.take` has resolved. An expected
 * fault of the platform is a value (`Failure`), so that the caller always knows whether a message may have arrived.
 */

// ---------------------------------------------------------------------------------------------------------------
// Incoming. The schemas are the bounds: an event that exceeds them is refused, and never stored.

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
  /** `slack:U…`, `tg:…`, `discord:…` or another platform's, as in `user_identities`. */
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

export type Receiver = {
  /**
   * Resolves after the commit of the event, and of the cursor if there is one. A duplicate resolves too. If it rejects,
   * the event is not acknowledged, and the platform sends it again.
   */
  take(event: Incoming, cursor?: Json): Promise<void>
  /** Saves a cursor that moved without an event for us. */
  mark?(cursor: Json): Promise<void>
}

// ---------------------------------------------------------------------------------------------------------------
// Outgoing. All strings are untrusted: `render` escapes them, and nobody is mentioned except by `Card.mention`.

export type CardLine =
  | { readonly kind: 'text' | 'code' | 'diff' | 'quote'; readonly text: string }
  | { readonly kind: 'fields'; readonly fields: readonly (readonly [label: string, value: string])[] }

/** `action` has at most `mostActionBytes` bytes of ASCII, unique in its card. */
export type Button = {
  readonly action: string
  readonly label: string
  readonly style: 'primary' | 'danger' | 'plain'
}
/** Telegram allows 64 bytes; some of them are its adapter's own. */
export const mostActionBytes = 40

export type Card = {
  readonly title: string
  readonly tone: 'waiting' | 'good' | 'bad' | 'quiet'
  /** `text` and `quote` are Markdown of agents or people; `code` and `diff` are shown as they are. */
  readonly lines: readonly CardLine[]
  readonly buttons: readonly Button[]
  readonly footer: string | null
  /** The handle of a person to notify; never from an agent's text. */
  readonly mention: string | null
}

export type Content =
  /** Untrusted Markdown of an agent. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Buffer; readonly text: string | null }

/** A diff up to this many lines is shown in its card; a longer one is a file of its own. */
export const mostDiffLinesInCard = 20

/**
 * One message of the platform. A card is one message, followed by files for what does not fit in it; the first message
 * stays the first in every revision. A message with a file is sent once and never edited.
 */
export type Rendered = {
  /** The platform's own JSON. */
  readonly body: Json
  readonly file: { readonly name: string; readonly bytes: Buffer } | null
}

export type Outgoing = {
  /** A UUID. The same for every attempt to send this message; `find` looks for it. */
  readonly key: string
  readonly chat: string
  readonly thread: string | null
  readonly replyTo: string | null
  readonly rendered: Rendered
  /** What `prepare` returned for this attempt, or in `find` for the last one. */
  readonly prepared: string | null
}

/**
 * - transient: it did not arrive; try again later.
 * - unsure: it may have arrived (broken connection, 5xx, time limit). Look with `find` before you send it again.
 * - permanent: the platform refuses this message; another attempt would fail too.
 * - gone: the chat or the message no longer exists, or we are no longer in it.
 * - refused: the token is no longer valid. Nothing can be sent until somebody changes it.
 */
export type Failure =
  | { readonly kind: 'transient' | 'unsure' | 'permanent' | 'gone' | 'refused'; readonly error: string }
  | { readonly kind: 'rate_limited'; readonly error: string; readonly retryAfterMs: number }

export type Sent = { readonly kind: 'sent'; readonly messageId: string } | Failure

/** Whether a message in doubt arrived. `unknown`: this platform cannot tell. */
export type Found =
  | { readonly kind: 'found'; readonly messageId: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly error: string }
  | Failure

export type MessagePlace = { readonly chat: string; readonly thread: string | null; readonly messageId: string }

export type PrivateReader = {
  readonly chat: string
  readonly thread: string | null
  readonly handle: string
  readonly reply?: ReplyToken
}

/** One text field that a person fills in, for example the reason of a rejection. */
export type Form = {
  /** Comes back as `action` of the `form` event. */
  readonly action: string
  readonly title: string
  readonly label: string
  readonly submit: string
}

export type Health = {
  readonly state: 'connecting' | 'connected' | 'reconnecting' | 'refused' | 'stopped'
  /** In milliseconds since 1970. */
  readonly since: number
  readonly error: string | null
}

/** A connected instance. Disposing it stops receiving; what is being taken is finished and acknowledged first. */
export type Connection = AsyncDisposable & {
  health(): Health
  /**
   * The steps of sending that nobody sees, such as an upload. The caller saves the result before `send`. Every attempt
   * prepares again. Platforms without such steps do not have it.
   */
  prepare?(message: Outgoing, stop: AbortSignal): Promise<{ kind: 'prepared'; prepared: string } | Failure>
  /** One message, by one call that can be seen on the platform. Never tries twice. */
  send(message: Outgoing, stop: AbortSignal): Promise<Sent>
  /**
   * Did a message in doubt arrive? `after`: the last message known to be before it in the same place, if any. `since`:
   * when the first attempt began, in milliseconds.
   */
  find(message: Outgoing, where: { after: string | null; since: number }, stop: AbortSignal): Promise<Found>
  /** Replaces the whole message. Repeating it does no harm. */
  edit(place: MessagePlace, message: Outgoing, stop: AbortSignal): Promise<Sent>
  /** `emoji` is the character, for example ✅. Repeating it does no harm. */
  react(place: MessagePlace, emoji: string, stop: AbortSignal): Promise<Sent>
  /** Only this person sees it: an ephemeral message or a toast, else a direct message. May arrive twice, or not. */
  privately(to: PrivateReader, content: Exclude<Content, { kind: 'file' }>): Promise<Sent>
  /** `permanent` if the platform has no forms here: ask for a reply as text instead. */
  openForm?(form: Form, at: MessagePlace, reply: ReplyToken): Promise<{ kind: 'opened' } | Failure>
  openDirect(handle: string): Promise<{ kind: 'open'; chat: ChatRef } | Failure>
  /** For events that carry no name. Null if the platform does not say, or not now. */
  nameOfPerson?(handle: string, stop: AbortSignal): Promise<string | null>
  nameOfChat?(chat: string, stop: AbortSignal): Promise<string | null>
  /** `permanent` if the file is larger than `mostBytes`. */
  fetchFile(ref: FileRef, mostBytes: number, stop: AbortSignal): Promise<{ kind: 'file'; bytes: Buffer } | Failure>
  /**
   * Messages after the one with the id `after`, oldest first, after a gap in the connection. `more`: continue from the
   * last one. Platforms without a history return none.
   */
  missed(
    chat: ChatRef,
    thread: string | null,
    after: string,
    stop: AbortSignal,
  ): Promise<{ kind: 'read'; events: IncomingMessage[]; more: boolean } | Failure>
}

// ---------------------------------------------------------------------------------------------------------------
// Platforms and their instances.

export type CredentialField = {
  readonly name: string
  readonly label: string
  readonly secret: boolean
  readonly required: boolean
  /** Where people find it. */
  readonly hint: string
}
export type Credentials = Readonly<Record<string, string>>

/** The base URL of the platform's API. Tests use a server on loopback. */
export type Endpoints = { readonly api: string }

export type Checked =
  | {
      readonly ok: true
      /** Who we are there: our own handle, our name, and the workspace or server if the platform has one. */
      readonly self: { readonly handle: string; readonly name: string; readonly workspace: string | null }
      /** Things that work less well than they could, as sentences for people. */
      readonly warnings: readonly string[]
    }
  | {
      readonly ok: false
      /** Sentences for people: what is wrong, and what to do. */
      readonly message: string
      readonly hint: string
      /** Scopes or intents to add. */
      readonly missing: readonly string[]
    }

export type InstanceDeps = {
  readonly instance: { readonly id: string; readonly name: string }
  readonly credentials: Credentials
  readonly endpoints: Endpoints
  readonly receiver: Receiver
  readonly clock: Clock
  readonly log: Logger
}

/** A request of the platform to us. Header names are in lower case. */
export type WebhookRequest = {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** What follows the question mark of the address; some platforms confirm a webhook with it. */
  readonly query?: string
  /** The exact bytes, at most `mostWebhookBytes`; signatures are over them. */
  readonly body: Buffer
}
export const mostWebhookBytes = 1_000_000

export type WebhookAnswer = { readonly status: number; readonly body: string; readonly contentType: string }

/**
 * An HTTP entry point of an instance, at `/chat/<instance id>/<path>`. Any node may serve it, connected or not. It
 * checks the signature, takes the event, and answers after the commit.
 */
export type WebhookRoute = {
  readonly path: string
  handle(request: WebhookRequest, deps: InstanceDeps): Promise<WebhookAnswer>
}

export type Platform = {
  /** Also the type of its chats (`channel_type`). */
  readonly name: string
  readonly title: string
  /** The prefix of identities: `slack`, `tg`, `discord`, or `chat-teams` and the like behind the bridge. */
  readonly idPrefix: string
  /** `at_least_once`: a message in doubt may arrive twice, and is marked. */
  readonly delivery: 'once' | 'at_least_once'
  readonly oneAtATimePer: 'thread' | 'chat'
  readonly limits: {
    /** Characters of one message, after rendering. */
    readonly text: number
    readonly buttons: number
    readonly fileBytes: number
  }
  readonly fields: readonly CredentialField[]
  readonly defaultEndpoints: Endpoints
  /** Asks the platform who we are, and what we are allowed to do. */
  check(credentials: Credentials, endpoints: Endpoints, stop: AbortSignal): Promise<Checked>
  /** Returns at once; connects in the background, and again after every loss until it is disposed or refused. */
  connect(deps: InstanceDeps & { readonly cursor: Json | null }): Connection
  /** Pure. Splits at the platform's limits; never drops text. */
  render(content: Content): readonly Rendered[]
  readonly routes?: readonly WebhookRoute[]
}
