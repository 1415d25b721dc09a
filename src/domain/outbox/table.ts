import type { Generated } from 'kysely'
import type { EventId } from '../audit/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { ErrorClass, ItemSubject, ItemType, OutboxId } from './records.ts'

export type OutboxTables = {
  /** Messages to send, and their results. */
  outbox: {
    /** Order within a destination; ids of the same millisecond are not ordered. */
    seq: Generated<number>
    id: OutboxId
    sender: string
    destination: string
    lane: string
    key: string
    event_id: EventId
    type: ItemType
    subject_kind: ItemSubject['kind']
    subject_id: string
    session_id: SessionId | null
    status: 'waiting' | 'sent' | 'dropped' | 'failed'
    attempts: number
    next_at: string
    /** The node that is sending it, and when its claim ends. */
    claimed_by: string | null
    claimed_until: string | null
    in_doubt: number
    error_class: ErrorClass | null
    error: string | null
    created_at: string
    settled_at: string | null
  }
}
