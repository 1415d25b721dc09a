import type { SessionId } from '../session/id.ts'
import type { TokenId, UserId } from '../user/id.ts'

export type ConnectionTables = {
  mcp_connections: {
    id: string
    session_id: SessionId
    user_id: UserId
    token_id: TokenId | null
    initialize: string
    created_at: string
    last_seen_at: string
    closed_at: string | null
  }
  mcp_events: {
    connection_id: string
    stream_id: string
    seq: number
    message: string
    at: string
  }
  /** Which node is in contact with a client that leaves no other trace in the tables. */
  client_contacts: { session_id: SessionId; node_id: string; at: string }
}
