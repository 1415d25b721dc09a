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
    /** What the platform returned for the steps before sending, such as an upload. */
    prepared: string | null
    /** When sending was tried first: what is in doubt is looked for from there. */
    first_try_at: string | null
    sent_at: string | null
    reply_to: string | null
    /** How far it was looked for after an attempt in doubt, in the platform's own words. */
    looked_to: string | null
    /** When it was sent again although nobody could tell whether it had arrived. */
    resent_at: string | null
  }
  /** Files of posts, until they are sent. */
  chat_files: {
    post_id: ChatPostId
    name: string
    /** Base64. */
    content: string
  }
}
