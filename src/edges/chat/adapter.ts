import type { CredentialField, WebhookAnswer, WebhookRequest } from '../../app/chat/chat-port.ts'
import type { Content, Rendered } from '../../domain/chat-post/content.ts'
import type { ChatRef, FileRef, Incoming, IncomingMessage, ReplyToken } from '../../domain/chat/incoming.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Json } from '../../lib/json.ts'
import type { Logger } from '../../lib/log.ts'

export type { CredentialField, WebhookAnswer, WebhookRequest } from '../../app/chat/chat-port.ts'
export type { Button, Card, CardLine, Content, Rendered } from '../../domain/chat-post/content.ts'
export { mostActionBytes } from '../../domain/chat-post/content.ts'
export {
  Incoming,
  type ChatRef,
  type ChatSender,
  type FileRef,
  type IncomingMessage,
  type ReplyToken,
} from '../../domain/chat/incoming.ts'

/**
 * The contract between Signalbox and a chat platform. A platform turns its own frames into `Incoming`, and `Content`
 * into its own messages. It decides nothing: who may do what, and what a click means, is decided behind it.
 *
 * Two rules hold for every platform. An incoming event is acknowledged after `Receiver.take` has resolved. An expected
 * fault of the platform is a value (`Failure`), so that the caller always knows whether a message may have arrived.
 */

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
// Outgoing.

/** A diff up to this many lines is shown in its card; a longer one is a file of its own. */
export const mostDiffLinesInCard = 20

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

/** Whether a message in doubt arrived. `unknown`: this platform cannot tell. `looking`: continue there later. */
export type Found =
  | { readonly kind: 'found'; readonly messageId: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly error: string }
  | { readonly kind: 'looking'; readonly lookedTo: string; readonly because: Failure }
  | Failure

/** Where to look for a message in doubt. */
export type Search = {
  /** The last message of ours that is known to be before it in the same place, if any. */
  readonly after: string | null
  /** When the first attempt began, in milliseconds. */
  readonly since: number
  /** How far an earlier search came. */
  readonly lookedTo?: string | null
  /** Which of these messages are stored here, so that they are not the one. */
  known?(among: readonly { messageId: string; eventKey: string }[]): Promise<ReadonlySet<string>>
}

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
  /** Did a message in doubt arrive? */
  find(message: Outgoing, where: Search, stop: AbortSignal): Promise<Found>
  /** Replaces the whole message. Repeating it does no harm. */
  edit(place: MessagePlace, message: Outgoing, stop: AbortSignal): Promise<Sent>
  /** `emoji` is the character, for example ✅. Repeating it does no harm. */
  react(place: MessagePlace, emoji: string, stop: AbortSignal): Promise<Sent>
  /** Only this person sees it: an ephemeral message or a toast, else a direct message. May arrive twice, or not. */
  privately(to: PrivateReader, content: Exclude<Content, { kind: 'file' }>): Promise<Sent>
  /** A click that gets no answer: its button no longer shows that it waits. For platforms that show that. */
  acknowledge?(reply: ReplyToken): Promise<void>
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

export type Credentials = Readonly<Record<string, string>>

/** The base URL of the platform's API. Tests use a server on loopback. */
export type Endpoints = { readonly api: string }

export type Checked =
  | {
      readonly ok: true
      /** Who we are there: our own handle, our name, and the workspace or server if the platform has one. */
      readonly self: { readonly handle: string; readonly name: string; readonly workspace: string | null }
      /** The id of the workspace, where ids of people are those of a workspace. */
      readonly workspaceId?: string | null
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

/** What the built-in web chat has instead of a platform. */
export type LocalChat = {
  /** Tells open pages to read the chat again. */
  changed(chat: string): void
  /** Stores a message that only the chat's person reads. */
  add(chat: string, content: Content): Promise<Sent>
}

export type InstanceDeps = {
  readonly instance: { readonly id: string; readonly name: string }
  readonly credentials: Credentials
  readonly endpoints: Endpoints
  readonly receiver: Receiver
  readonly local?: LocalChat
  readonly clock: Clock
  readonly log: Logger
}

export { mostWebhookBytes } from '../../app/chat/chat-port.ts'

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
  /** Of the identities of its people, such as `slack:U1`. */
  readonly idPrefix: string
  /** `global`: an id means the same person on every instance. `local`: another workspace may give it to another person. */
  readonly ids: 'global' | 'local'
  /** `at_least_once`: a message in doubt may arrive twice, and is marked. */
  readonly delivery: 'once' | 'at_least_once'
  readonly oneAtATimePer: 'thread' | 'chat'
  /** Replies can be put into a thread under any message. */
  readonly opensThreads: boolean
  readonly limits: {
    /** Characters of one message, after rendering. */
    readonly text: number
    readonly buttons: number
    readonly fileBytes: number
  }
  /** What to do on the platform’s own pages first. */
  readonly steps: readonly string[]
  readonly fields: readonly CredentialField[]
  /** The app's description to paste into the platform. */
  readonly manifest?: string
  readonly defaultEndpoints: Endpoints
  /** Asks the platform who we are, and what we are allowed to do. */
  check(credentials: Credentials, endpoints: Endpoints, stop: AbortSignal): Promise<Checked>
  /** Returns at once; connects in the background, and again after every loss until it is disposed or refused. */
  connect(deps: InstanceDeps & { readonly cursor: Json | null }): Connection
  /** Pure. Splits at the platform's limits; never drops text. */
  render(content: Content): readonly Rendered[]
  readonly routes?: readonly WebhookRoute[]
}
