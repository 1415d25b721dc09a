import * as z from 'zod'
import type { Json } from '../../lib/json.ts'
import { SessionId } from '../session/id.ts'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { Answer } from './answer.ts'
import { AskId } from './id.ts'
import type { Approvers } from './administration.ts'
import { AskKindName, Circle, RiskLevel, type NewAsk } from './schema.ts'

/** An ask with the risk judged by Signalbox; `riskLevel` is the higher of both. */
export type JudgedAsk = NewAsk & { claimedRisk: RiskLevel; judgedRisk: RiskLevel; riskReasons: readonly string[] }

/** As it is stored. `approvers`: for an ask about an agent group. */
export type OpenedAsk = JudgedAsk & { readonly approvers: Approvers | null }

const OutcomeName = z.enum(Answer.options.map((option) => option.shape.outcome.value))

/** `answerers`: the people the ask names, if any. */
const ref = { id: AskId, sessionId: SessionId.nullable(), answerers: z.array(UserId).readonly().optional() }

/** Events about asks. */
export const askEvents = {
  'ask.opened': () =>
    z.object({
      ...ref,
      kind: AskKindName,
      origin: z.string(),
      riskLevel: RiskLevel,
      claimedRisk: RiskLevel.optional(),
      judgedRisk: RiskLevel.optional(),
      subjectHash: z.string(),
      expiresAt: z.string().nullable(),
      alertAt: z.string().optional(),
      agentGroupId: AgentGroupId.optional(),
      /** When the next circle is asked, if nobody answers. */
      escalatesAt: z.string().optional(),
    }),
  /** Nobody answered: more people are asked. */
  'ask.escalated': () =>
    z.object({
      ...ref,
      agentGroupId: AgentGroupId,
      circle: Circle,
      escalatesAt: z.string().nullable(),
    }),
  'ask.voted': () => z.object({ ...ref, by: UserId, outcome: OutcomeName, given: z.int(), needed: z.int() }),
  'ask.answered': () =>
    z.object({
      ...ref,
      by: z.string(),
      outcome: OutcomeName,
      answerHash: z.string(),
      automatic: z.boolean(),
    }),
  /** An approval was taken back before it was used. */
  'ask.retracted': () =>
    z.object({ ...ref, by: z.string(), approvedBy: z.string().nullable(), answerHash: z.string() }),
  'ask.expired': () => z.object(ref),
  'ask.expiry_lifted': () => z.object(ref),
  'ask.interrupted': () => z.object(ref),
  'ask.cancelled': () => z.object({ ...ref, reason: z.string().nullable() }),
  'ask.claimed': () => z.object(ref),
  'ask.released': () => z.object({ ...ref, reason: z.string().nullable() }),
  'ask.consumed': () => z.object(ref),
  /** Its changes were reverted. */
  'ask.undone': () => z.object(ref),
  'ask.failed': () => z.object({ ...ref, reason: z.string().nullable() }),
}
type Data = DataOf<typeof askEvents>

/** A change of an ask: `data` goes to the log, `body` to the tables only. */
export type AskChange =
  | { type: 'ask.opened'; data: Data['ask.opened']; body: OpenedAsk }
  | { type: 'ask.escalated'; data: Data['ask.escalated'] }
  | { type: 'ask.voted'; data: Data['ask.voted'] }
  | { type: 'ask.answered'; data: Data['ask.answered']; body: Answer }
  | { type: 'ask.retracted'; data: Data['ask.retracted']; body: Answer }
  | { type: 'ask.expired'; data: Data['ask.expired'] }
  | { type: 'ask.expiry_lifted'; data: Data['ask.expiry_lifted'] }
  | { type: 'ask.interrupted'; data: Data['ask.interrupted'] }
  | { type: 'ask.cancelled'; data: Data['ask.cancelled'] }
  | { type: 'ask.claimed'; data: Data['ask.claimed']; body?: string }
  | { type: 'ask.released'; data: Data['ask.released'] }
  | { type: 'ask.consumed'; data: Data['ask.consumed']; body: Json | null }
  | { type: 'ask.undone'; data: Data['ask.undone'] }
  | { type: 'ask.failed'; data: Data['ask.failed'] }
