import type { SessionId } from '../session/id.ts'
import type { AlertStatus } from './statuses.ts'
import type { AlertCause, AlertId } from './schema.ts'

export type AlertTables = {
  stall_alerts: {
    id: AlertId
    session_id: SessionId
    cause: AlertCause
    last_tool: string | null
    last_activity_at: string
    idle_seconds: number
    nudge_count: number
    status: AlertStatus
    nudge_message: string | null
    slack_ts: string | null
    next_at: string | null
    nudged_at: string | null
    escalated_at: string | null
    closed_at: string | null
    closed_by: string | null
    created_at: string
  }
}
