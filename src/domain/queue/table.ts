import type { Generated } from 'kysely'
import type { SessionId } from '../session/id.ts'
import type { QueueItemId, QueuePlace, QueueStatus } from './schema.ts'

export type QueueTables = {
  queue_items: {
    seq: Generated<number>
    id: QueueItemId
    session_id: SessionId
    words: string
    place: QueuePlace
    status: QueueStatus
    added_by: string
    created_at: string
    delivered_at: string | null
    /** What goes along with its words, as JSON. */
    files: string | null
    /** Its position among those that wait, if somebody moved it; else its number decides. */
    rank: number | null
  }
}
