import type { MessageId } from '../message/schema.ts'
import type { QueueItem } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { AdministrativeFacts, Circles } from './administration.ts'
import type { Allowable } from './allowance.ts'
import type { Answer } from './answer.ts'
import type { AskId } from './id.ts'
import type { LateFacts } from './late-answer.ts'
import type { AskStatus, Circle, NewAsk } from './schema.ts'
import type { AskSubject } from './subject.ts'

/** The state of an ask and its session when a command about it is decided. */
export type AskState = {
  id: AskId
  sessionId: SessionId | null
  status: AskStatus
  subject: AskSubject
  needed: number
  answer: Answer | null
  answeredBy: string | null
  /** Consents given so far. */
  voters: readonly UserId[]
  expiresAt: string | null
  answerers: readonly UserId[] | null
  undone: boolean
  retracted: boolean
  /** For asks about an agent group. */
  agentGroupId: AgentGroupId | null
  requestedBy: UserId | null
  circle: Circle | null
  subjectHash: string | null
  riskLevel: NewAsk['riskLevel']
}

/** How many people must consent to an ask of each risk, and who may answer besides its owner (B4). */
export type RiskRouting = Readonly<
  Record<NewAsk['riskLevel'], { readonly needed: number; readonly reviewers: readonly UserId[] }>
>

export type AskTimeouts = {
  approvalSeconds: number
  promptSeconds: number
  waitSeconds: number
  adminAskSeconds?: number
  adminEscalationSeconds?: number
}

export type AskFacts = {
  now: number
  /** How the answerer is recorded: `user:<id>`, `policy:<rule>`. */
  by: string
  voter: UserId | null
  bySystem: boolean
  /** Named as answerers, but unknown. */
  unknownAnswerers: readonly UserId[]
  timeouts: AskTimeouts
  routing: RiskRouting
  /** The policy rule that answers it, if any. */
  rule: string | null
  /** What a person allowed for the session covers it: the id, and the risk that it was allowed with. */
  allowed?: readonly { id: AskId; risk: NewAsk['riskLevel'] }[] | undefined
  /** What "allow for this session" would cover. */
  allowable?: Allowable | null | undefined
  /** The command is registered, word for word. */
  registered: boolean
  /** The id of the message that a queued text becomes. */
  noteId: MessageId
  /** The session that gets the answer if it comes too late. */
  late?: LateFacts | undefined
  /** The agent group of the session that opens an administrative ask. */
  administration?: AdministrativeFacts | undefined
  /** Who can be asked, and when the next circle is. */
  escalation?: { readonly circles: Circles; readonly dueAt: string | null } | undefined
  /** The person who wants something may not approve it. */
  separateRequester: boolean
}

/** The session data that `ask.open` needs. */
export type AskSession = {
  status: SessionStatus
  workspaceRoot: string
  ownerUserId: UserId
  openApproval: AskId | null
  /** The next queued text, for an agent that waits for instructions. */
  instruction: QueueItem | null
}
