import type { Json } from '../../lib/json.ts'
import type { RiskLevel, NewAsk } from './schema.ts'
import type { SessionId } from '../session/id.ts'
import type { UserId } from '../user/id.ts'
import type { Answer, Outcome } from './answer.ts'
import type { AskId } from './id.ts'
import type { AskKind } from './subject.ts'

/** `answerers` stands in it where the ask names them, so that they hear of it. */
type Ref = { id: AskId; sessionId: SessionId | null; answerers?: readonly UserId[] }

/** An ask with what Signalbox makes of its risk; `riskLevel` is the higher one. */
export type JudgedAsk = NewAsk & { claimedRisk: RiskLevel; judgedRisk: RiskLevel; riskReasons: readonly string[] }

/** What happened to an ask: `data` goes to the log, `body` to the tables only. */
export type AskChange =
  | {
      type: 'ask.opened'
      data: Ref & {
        kind: AskKind
        origin: string
        riskLevel: RiskLevel
        claimedRisk: RiskLevel
        judgedRisk: RiskLevel
        subjectHash: string
        expiresAt: string | null
        alertAt?: string
      }
      body: JudgedAsk
    }
  | { type: 'ask.voted'; data: Ref & { by: UserId; outcome: Outcome; given: number; needed: number } }
  | {
      type: 'ask.answered'
      data: Ref & { by: string; outcome: Outcome; answerHash: string; automatic: boolean }
      body: Answer
    }
  | { type: 'ask.expired'; data: Ref }
  | { type: 'ask.expiry_lifted'; data: Ref }
  | { type: 'ask.interrupted'; data: Ref }
  | { type: 'ask.cancelled'; data: Ref & { reason: string | null } }
  | { type: 'ask.claimed'; data: Ref; body?: string }
  | { type: 'ask.released'; data: Ref & { reason: string | null } }
  | { type: 'ask.consumed'; data: Ref; body: Json | null }
  /** What it had changed is as it was before. */
  | { type: 'ask.undone'; data: Ref }
  | { type: 'ask.failed'; data: Ref & { reason: string | null } }
