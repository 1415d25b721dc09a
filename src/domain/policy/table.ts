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
}
