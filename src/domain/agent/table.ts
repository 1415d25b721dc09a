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
  }
}
