import type { AskId } from '../ask/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { CredentialId } from './id.ts'

export type CredentialTables = {
  credentials: {
    id: CredentialId
    agent_group_id: AgentGroupId
    host: string
    name: string
    /** Null once it is revoked: the value is gone. */
    sealed: string | null
    granted_by: UserId | null
    granted_at: string
    ask_id: AskId | null
    revoked_at: string | null
  }
  /** Values that came with answers, until they are granted. */
  credential_offers: { ask_id: AskId; user_id: UserId; sealed: string; at: string }
}
