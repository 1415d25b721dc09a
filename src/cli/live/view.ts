import type { Event } from '../../domain/audit/schema.ts'
import type { Message, MessageContent, MessageRole } from '../../domain/message/schema.ts'

/** A piece of a text as the agent says it; `at` counts what stands before it. */
export type Chunk = {
  messageId: string
  role: MessageRole
  type: 'text' | 'thought'
  at: number
  text: string
}
export type Updated = { messageId: string; role: MessageRole; content: MessageContent }

/** Shows a conversation, each word once, whichever way it comes. */
export type View = {
  /** As it is now: what was not shown of it yet is shown. */
  message(message: Message): void
  /** Known already, and not to be shown. */
  skip(message: Message): void
  /** False where something before it is missing. */
  chunk(chunk: Chunk): boolean
  updated(update: Updated): void
  event(event: Event): void
  /** Whether nothing more is to be read of this message. */
  isWhole(messageId: string): boolean
  /** A diff of this tool call was shown elsewhere. */
  diffShown(toolCallId: string): void
  /** The line so far stands as it is; what follows begins anew. */
  settle(): void
  flush(): Promise<void>
}
