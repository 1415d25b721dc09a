import type { Generated } from 'kysely'
import type { SessionId } from '../session/id.ts'
import type { MessageId, MessageRole } from './schema.ts'

export type MessageTables = {
  messages: {
    seq: Generated<number>
    id: MessageId
    session_id: SessionId
    role: MessageRole
    content: string
    timestamp: string
  }
  /** Words of complete messages; a virtual table on SQLite. */
  message_words: { message_id: MessageId; session_id: SessionId; words: string }
}
