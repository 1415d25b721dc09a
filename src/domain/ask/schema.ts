import * as z from 'zod'
import { Json } from '../../lib/json.ts'
import { SessionId } from '../session/id.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { Answer } from './answer.ts'
import { AskId } from './id.ts'
import { askKinds } from './kinds.ts'
import { AskSubject } from './subject.ts'

export { AskId }

export const askStatuses = [
  'open',
  'answered',
  'expired',
  'interrupted',
  'cancelled',
  'applying',
  'consumed',
  'failed',
] as const
export const AskStatus = z.enum(askStatuses)
export type AskStatus = z.infer<typeof AskStatus>
export const AskKindName = z.enum(askKinds)
export const RiskLevel = z.enum(['low', 'high', 'critical'])
export type RiskLevel = z.infer<typeof RiskLevel>

/** Where the ask came from. Per session, only one approval from the first two may be open at a time. */
export const AskOrigin = z.enum([
  'ask_approval',
  'clearance/request',
  'mcp',
  'acp',
  'terminal',
  'chat',
  'api',
  'system',
])
export type AskOrigin = z.infer<typeof AskOrigin>

/** Whom an administrative ask goes to, from near to far. Each circle includes the ones before it. */
export const circles = ['group', 'admins', 'owners'] as const
export const Circle = z.enum(circles)
export type Circle = z.infer<typeof Circle>

export const Vote = z.object({ userId: UserId, outcome: z.string(), at: z.iso.datetime() })

export const Ask = z
  .object({
    id: AskId,
    sessionId: SessionId.nullable(),
    kind: AskKindName,
    origin: AskOrigin,
    title: z.string(),
    description: z.string().nullable(),
    riskLevel: RiskLevel.meta({ description: 'The higher of the claimed and the judged risk; used for routing.' }),
    claimedRisk: RiskLevel.meta({ description: 'What the agent says.' }),
    judgedRisk: RiskLevel.meta({ description: 'The risk that Signalbox judges from the subject.' }),
    riskReasons: z.array(z.string()).meta({ description: 'The reasons for the risk, worst first.' }),
    status: AskStatus,
    subject: AskSubject,
    needed: z.int().meta({ description: 'How many people must consent.' }),
    votes: z.array(Vote),
    answer: Answer.nullable(),
    answeredBy: z
      .string()
      .nullable()
      .meta({ description: 'user:<id>, policy:<rule>, session:<allowance> or system:clock' }),
    answeredAt: z.iso.datetime().nullable(),
    automatic: z.boolean(),
    answerers: z.array(UserId).nullable().meta({ description: 'Who can answer; null means the owner of the session.' }),
    reason: z.string().nullable().meta({ description: 'Why it was cancelled, released or failed.' }),
    result: Json.nullable().meta({ description: 'What applying the answer changed: the files written.' }),
    undoneAt: z.iso.datetime().nullable().meta({ description: 'When the applied changes were undone.' }),
    retractedAt: z.iso.datetime().nullable().meta({
      description:
        'When the approval was taken back, before it was used. The answer is then a rejection by who retracted it.',
    }),
    approvedBy: z.string().nullable().meta({ description: 'Who had given the approval that was retracted.' }),
    mayRetract: z.boolean().optional().meta({
      description: 'True if you can still retract this approval.',
    }),
    slackTs: z.string().nullable(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    consumedAt: z.iso.datetime().nullable(),
    subjectHash: z
      .string()
      .nullable()
      .meta({ description: 'SHA-256 of the subject as canonical JSON: exactly what was shown.' }),
    sessionAllowance: z.string().optional().meta({
      description: 'What "allow for this session" would cover. Missing: it can only be allowed once.',
    }),
    agentGroupId: AgentGroupId.nullable().meta({ description: 'The agent group that an administrative ask is about.' }),
    requestedBy: UserId.nullable().meta({ description: 'The person whose message led to an administrative ask.' }),
    circle: Circle.nullable().meta({
      description: 'Who has been asked: the admins of the agent group, also global admins, also owners.',
    }),
  })
  .meta({ id: 'Ask' })
export type Ask = z.infer<typeof Ask>

export const NewAsk = z.object({
  id: AskId,
  sessionId: SessionId.nullable(),
  origin: AskOrigin,
  title: z.string().min(1).max(1_000),
  description: z.string().max(100_000).nullable().default(null),
  /** The risk the requester claims; judged when the ask is opened. */
  riskLevel: RiskLevel.default('low'),
  subject: AskSubject,
  needed: z.int().min(1).max(10).default(1),
  answerers: z.array(UserId).min(1).max(100).nullable().default(null),
  /** Overrides the configured timeout of this kind; 0 means it never expires. */
  timeoutSeconds: z.int().min(0).max(31_536_000).nullable().default(null),
})
export type NewAsk = z.infer<typeof NewAsk>

const Reason = z.string().max(2_000).nullable().default(null)
const about = <T extends string>(type: T) => z.object({ type: z.literal(type), id: AskId })
const because = <T extends string>(type: T) => z.object({ type: z.literal(type), id: AskId, reason: Reason })

export const AskCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ask.open'),
    ask: NewAsk,
    /** The tool it came from; counts as a sign of life like any other call. */
    tool: z.string().max(200).optional(),
    /** Open it only if a rule answers it; never ask a person. */
    unasked: z.boolean().optional(),
    /** Answered at once by a built-in rule; only Signalbox itself may set it. */
    automatic: z.object({ rule: z.string().max(200), answer: Answer }).optional(),
  }),
  z.object({ type: z.literal('ask.answer'), id: AskId, answer: Answer }),
  about('ask.expire'),
  /** Nobody answered in time: ask the next circle too. */
  about('ask.escalate'),
  because('ask.cancel'),
  /** `node`: the node that applies it, so that no other finishes it. */
  z.object({ type: z.literal('ask.claim'), id: AskId, node: z.string().max(200).optional() }),
  because('ask.release'),
  z.object({ type: z.literal('ask.consume'), id: AskId, result: Json.optional() }),
  because('ask.fail'),
  /** Takes an approval back that is not used yet. */
  because('ask.retract'),
  about('ask.undo'),
])
export type AskCommand = z.infer<typeof AskCommand>
