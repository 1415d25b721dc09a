import type { Json } from '../../lib/json.ts'
import type { ChatInstanceId, MessagingGroupId } from '../chat/id.ts'
import type { SessionId } from '../session/id.ts'

export type ChatPostId = string & { readonly _chatPost: never }

/** Where a post belongs, and what it is about. */
export type PostPlace = {
  readonly instanceId: ChatInstanceId
  readonly chatId: MessagingGroupId
  readonly thread: string | null
  readonly sessionId: SessionId | null
  readonly subject: { readonly kind: string; readonly id: string }
  /** Parts of a text that is too long for one message, from 0. */
  readonly part: number
}

/** A message of ours on a platform. It is edited in place while its revision grows. */
export type ChatPost = PostPlace & {
  readonly id: ChatPostId
  readonly revision: number
  readonly content: Json
  readonly platformMessageId: string | null
  readonly sentRevision: number | null
  readonly createdAt: string
}
