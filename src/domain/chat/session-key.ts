import type { MessagingGroupId, SessionMode } from './id.ts'

/** Where a message was written. `opensThreads`: the platform can put a reply into a thread under the message. */
export type MessagePlace = {
  readonly chatId: MessagingGroupId
  readonly isGroup: boolean
  readonly thread: string | null
  readonly messageId: string
  readonly opensThreads: boolean
}

/** Identifies the session of an agent group that a message belongs to. */
export type SessionKey = {
  readonly mode: SessionMode
  readonly chatId: MessagingGroupId | null
  readonly threadId: string | null
}

/** In a group chat with threads each thread has its own session, unless all chats of the agent group share one. */
export function sessionKeyOf(mode: SessionMode, place: MessagePlace): SessionKey {
  const { chatId, isGroup, thread, messageId, opensThreads } = place
  if (mode === 'agent-shared') return { mode, chatId: null, threadId: null }
  const inThreads = mode === 'per-thread' || (isGroup && (opensThreads || thread !== null))
  if (!inThreads) return { mode, chatId, threadId: null }
  return { mode: 'per-thread', chatId, threadId: thread ?? (opensThreads ? messageId : null) }
}

/**
 * Which messages go along with a later one: those of the same thread, or those in the chat itself. A message in the chat
 * that opens a thread of its own was still written in the chat.
 */
export const contextOf = ({ threadId }: SessionKey, { thread }: Pick<MessagePlace, 'thread'>): string =>
  threadId === null ? '' : (thread ?? '')
