import type { SessionId } from '../session/id.ts'
import type { UserId } from '../user/id.ts'
import type { TerminalType } from './schema.ts'

export type TerminalTables = {
  terminals: {
    session_id: SessionId
    session_type: TerminalType
    name: string | null
    log_file: string | null
    typescript: number
    /** JSON: the program and its arguments. */
    command: string | null
    cwd: string | null
    host: string | null
    login: string | null
    parent_session_id: SessionId | null
    started_by: SessionId | null
    child_id: string | null
    node_id: string
    columns_wide: number
    rows_high: number
    file_position: number
    epoch: number
    exit_code: number | null
    exit_signal: string | null
    closed_at: string | null
  }
  terminal_grants: {
    terminal_id: SessionId
    session_id: SessionId
    granted_by: UserId | null
    granted_at: string
  }
  /** How far a viewer has read, so that the next catch-up continues from there. */
  last_looks: { viewer: string; session_id: string; cursor: string; at: string }
}
