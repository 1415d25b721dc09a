import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { AskId } from './id.ts'
import type { AskOrigin, AskStatus, RiskLevel } from './schema.ts'
import type { AskKind } from './subject.ts'

export type AskTables = {
  asks: {
    id: AskId
    session_id: SessionId | null
    kind: AskKind
    origin: AskOrigin
    title: string
    description: string | null
    risk_level: RiskLevel
    claimed_risk: RiskLevel
    judged_risk: RiskLevel
    /** JSON: a list of strings. */
    risk_reasons: string
    status: AskStatus
    subject: string
    needed: number
    answer: string | null
    answered_by: string | null
    answered_at: string | null
    automatic: number
    answerers: string | null
    reason: string | null
    result: string | null
    undone_at: string | null
    retracted_at: string | null
    /** Who had given the approval that was retracted. */
    approved_by: string | null
    applying_on: string | null
    slack_ts: string | null
    created_at: string
    expires_at: string | null
    consumed_at: string | null
    subject_hash: string | null
    /** The agent group an administrative ask is about. */
    agent_group_id: AgentGroupId | null
    requested_by: UserId | null
    circle: 0 | 1 | 2 | null
  }
  ask_votes: { ask_id: AskId; user_id: UserId; outcome: string; at: string }
  /** What happened while an approved ask was carried out. */
  ask_log: { ask_id: AskId; seq: number; at: string; text: string }
}
