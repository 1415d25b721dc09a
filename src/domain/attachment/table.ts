import type { QueueItemId } from '../queue/schema.ts'
import type { UserId } from '../user/id.ts'
import type { AttachmentId } from './schema.ts'

export type AttachmentTables = {
  attachments: {
    id: AttachmentId
    owner_user_id: UserId
    name: string
    mime_type: string
    size: number
    sha256: string
    created_at: string
  }
  /** Each content once, in base64. */
  attachment_contents: { sha256: string; content: string }
  /** Which prompts have them. */
  queue_attachments: { item_id: QueueItemId; attachment_id: AttachmentId }
}
