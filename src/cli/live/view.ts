import type { Event } from '../../domain/audit/schema.ts'
import type { Message, MessageContent, MessageRole } from '../../domain/message/schema.ts'

/** A piece of a text while it streams; `at` is its position. */
export type LiveChunk = {
  messageId: string
  role: MessageRole
  type: 'text' | 'thought'
  at: number
  text: string
}
export type UpdatedMessage = { messageId: string; role: MessageRole; content: MessageContent }

/** Shows a conversation, each word once, whether it streams or is read. */
export type LiveView = {
  /** Shows what was not shown of the message yet. */
  message(message: Message): void
  /** Marks the message as shown. */
  skip(message: Message): void
  /** False if text before it is missing. */
  chunk(chunk: LiveChunk): boolean
  updated(update: UpdatedMessage): void
  event(event: Event): void
  /** Whether the message is complete. */
  isWhole(messageId: string): boolean
  /** The diff of this tool call was shown elsewhere. */
  diffShown(toolCallId: string): void
  /** Ends the current line; what follows starts a new one. */
  settle(): void
  flush(): Promise<void>
}
