import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, TokenId, UserId } from './id.ts'
import type { Role, TokenScope } from './schema.ts'

export type UserTables = {
  users: { id: UserId; kind: string; display_name: string; created_at: string; removed_at: string | null }
  user_identities: { identity: string; user_id: UserId; linked_at: string }
  identity_offers: { code_hash: string; user_id: UserId; expires_at: string; used_at: string | null }
  identity_codes: { code_hash: string; identity: string; expires_at: string; used_at: string | null }
  user_roles: {
    user_id: UserId
    role: Role
    agent_group_id: AgentGroupId | null
    granted_by: UserId | null
    granted_at: string
  }
  agent_group_members: { user_id: UserId; agent_group_id: AgentGroupId; added_by: UserId | null; added_at: string }
  tokens: {
    id: TokenId
    user_id: UserId
    name: string
    hash: string
    scope: TokenScope
    session_id: SessionId | null
    created_at: string
    expires_at: string | null
    last_used_at: string | null
    revoked_at: string | null
  }
  login_links: { hash: string; user_id: UserId; expires_at: string; used_at: string | null }
  logins: {
    cookie_hash: string
    /** Null for logins older than keys. */
    key_hash: string | null
    user_id: UserId
    created_at: string
    expires_at: string
    ended_at: string | null
  }
}
