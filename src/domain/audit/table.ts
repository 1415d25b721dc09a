import type { Generated } from 'kysely'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { EventId, Visibility } from './schema.ts'

export type AuditTables = {
  events: {
    /** The writing transaction on PostgreSQL, 0 on SQLite; with `seq` it gives the commit order. */
    tx: Generated<number>
    seq: Generated<number>
    id: EventId
    at: string
    type: string
    actor: string
    stream: string
    session_id: SessionId | null
    owner_user_id: UserId | null
    agent_group_id: AgentGroupId | null
    visibility: Visibility
    command_key: string | null
    data: string
  }
  /** People who see an event because it names them. */
  event_people: { user_id: UserId; event_id: EventId }
  /** The first result of each command that had a key. */
  commands: { key: string; type: string; fingerprint: string; subject: string; at: string }
  followers: { name: string; node_id: string; tx: number; seq: number; updated_at: string }
  dead_letters: {
    id: string
    follower: string
    node_id: string
    event_id: EventId
    tx: number
    seq: number
    attempts: number
    error: string
    at: string
    resolved_at: string | null
  }
  deadlines: { subject_id: string; kind: string; due_at: string }
  /** Which node does the work that only one may do; `fence` grows with every change of holder. */
  leases: { name: string; holder: string; fence: number; expires_at: string }
  retention_pass: { before: string }
}
