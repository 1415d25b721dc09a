import type { AskId } from '../ask/id.ts'
import type { RuleId } from './id.ts'
import type { RuleKind, RuleStatus } from './schema.ts'

export type PolicyTables = {
  policy_rules: {
    id: RuleId
    workspace_root: string
    rule_kind: RuleKind
    pattern: string
    status: RuleStatus
    ask_id: AskId | null
    evidence: number
    proposed_by: string
    decided_by: string | null
    created_at: string
    decided_at: string | null
  }
  /** Workspaces that a person trusted by name; repos and workspaces of the configuration are trusted without a row. */
  policy_trusts: { workspace_root: string; trusted_by: string; trusted_at: string }
  /** The last policy text of a workspace that was in force; null: there was none. */
  policy_baselines: {
    workspace_root: string
    settings: string | null
    noted_by: string
    noted_at: string
    pending_hash: string | null
    pending_since: string | null
  }
}
