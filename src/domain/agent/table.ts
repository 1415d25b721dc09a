import type { SessionId } from '../session/id.ts'

export type AgentTables = {
  agents: {
    session_id: SessionId
    node_id: string
    read_offset: number
    about: string
    state: string
    held: string
    stderr: string
    updated_at: string
    /** Crashes since it last ran for a good while. */
    crashes: number
    crashed_at: string | null
  }
  /** One row for each process of a session. */
  agent_lives: {
    id: string
    session_id: SessionId
    started_at: string
    ended_at: string | null
    exit_code: number | null
    exit_signal: string | null
    stderr: string
  }
}
