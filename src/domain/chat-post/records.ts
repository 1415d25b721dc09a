import type { Json } from '../../lib/json.ts'
import type { ChatInstanceId, MessagingGroupId } from '../chat/id.ts'
import { SessionId } from '../session/id.ts'

export type ChatPostId = string & { readonly _chatPost: never }

/** What a post is about: an ask, an alert, a session, a message of its agent, a message that an agent sent. */
export type PostSubject = { readonly kind: string; readonly id: string }

/** Where a post belongs, and what it is about. */
export type PostPlace = {
  readonly instanceId: ChatInstanceId
  readonly chatId: MessagingGroupId
  /** A thread of the platform, or `session:<id>`: the thread that the first post about that session opens. */
  readonly thread: string | null
  readonly sessionId: SessionId | null
  readonly subject: PostSubject
  /** Parts of a text that is too long for one message, from 0. */
  readonly part: number
}

/** What is sent: a message as its platform renders it, or a reaction to a message. */
export type PostBody =
  | { readonly kind: 'message'; readonly body: Json; readonly file: string | null }
  | { readonly kind: 'reaction'; readonly emoji: string; readonly messageId: string }

/** A message of ours on a platform. It is edited in place while its revision grows. */
export type ChatPost = PostPlace & {
  readonly id: ChatPostId
  readonly revision: number
  readonly content: PostBody
  readonly replyTo: string | null
  readonly platformMessageId: string | null
  readonly sentRevision: number | null
  readonly prepared: string | null
  readonly firstTryAt: string | null
  /** How far it was looked for after an attempt in doubt. */
  readonly lookedTo: string | null
  /** When it was sent again although it may have arrived. */
  readonly resentAt: string | null
  readonly createdAt: string
}

/** One message to write, with the bytes of its file. */
export type NewPostPart = PostPlace & {
  readonly content: PostBody
  readonly file: Buffer | null
  readonly replyTo: string | null
}

const ofSession = 'session:'

/** The thread of a session whose first post is ours: its id is known once that post is sent. */
export const threadOfSession = (id: SessionId): string => `${ofSession}${id}`

/** The session whose thread is meant; null for a thread of the platform. */
export const sessionOfThread = (thread: string | null): SessionId | null =>
  thread?.startsWith(ofSession) ? SessionId.parse(thread.slice(ofSession.length)) : null
