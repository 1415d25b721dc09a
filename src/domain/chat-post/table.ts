import type { ChatInstanceId, MessagingGroupId } from '../chat/id.ts'
import type { SessionId } from '../session/id.ts'
import type { ChatPostId } from './records.ts'

export type ChatPostTables = {
  /** Messages of ours on platforms. */
  chat_posts: {
    id: ChatPostId
    instance_id: ChatInstanceId
    messaging_group_id: MessagingGroupId
    thread_id: string | null
    session_id: SessionId | null
    subject_kind: string
    subject_id: string
    /** A long text has several parts. */
    part: number
    /** Grows with each change of the content; the post is edited until `sent_revision` has caught up. */
    revision: number
    /** JSON. */
    content: string
    platform_message_id: string | null
    sent_revision: number | null
    created_at: string
    updated_at: string
  }
}
