import { canonicalJson } from '../../lib/json.ts'
import { iso } from '../../lib/clock.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { SessionId } from '../session/id.ts'
import { hasEnded, type SessionStatus } from '../session/status.ts'
import type { UserId } from '../user/id.ts'
import { canBeShared, hasEffect, isConsent, misfit, type Answer } from './answer.ts'
import type { AskChange } from './change.ts'
import type { AskId } from './id.ts'
import type { AskCommand, AskStatus, NewAsk } from './schema.ts'
import type { AskSubject } from './subject.ts'

/** What is known of an ask, and of the session it belongs to, when a command about it is decided. */
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
}

export type AskTimeouts = { approvalSeconds: number; promptSeconds: number; waitSeconds: number }

export type AskFacts = {
  now: number
  /** How the answerer is written down: `user:<id>`, `policy:<rule>`. */
  by: string
  voter: UserId | null
  bySystem: boolean
  /** Named as answerers, and not known. */
  unknownAnswerers: readonly UserId[]
  timeouts: AskTimeouts
}

/** What the door of `ask.open` needs to know of the session. */
export type AskSession = { status: SessionStatus; openApproval: AskId | null }

const soleOrigins: readonly NewAsk['origin'][] = ['ask_approval', 'clearance/request']
export const isSoleApproval = (origin: NewAsk['origin']): boolean => soleOrigins.includes(origin)

export function decideAskOpen(
  existing: AskState | undefined,
  session: AskSession | null | undefined,
  ask: NewAsk,
  facts: AskFacts,
): Result<AskChange[]> {
  if (existing) return fail({ kind: 'conflict', code: 'ask_exists', message: `There is an ask ${ask.id} already.` })
  const wrong = misfitAsk(ask, facts)
  if (wrong) return wrong
  if (ask.sessionId !== null) {
    if (!session) return notFound('session', ask.sessionId)
    if (hasEnded(session.status)) return sessionEnded(session.status)
    if (isSoleApproval(ask.origin) && session.openApproval !== null)
      return fail({
        kind: 'conflict',
        code: 'approval_pending',
        message: 'The session has an open approval already; one at a time.',
        hint: `Wait for the answer to ${session.openApproval}, or cancel it.`,
        details: { askId: session.openApproval },
      })
  }
  return ok([
    {
      type: 'ask.opened',
      data: {
        ...refOf(ask),
        kind: ask.subject.kind,
        origin: ask.origin,
        riskLevel: ask.riskLevel,
        subjectHash: sha256(canonicalJson(ask.subject)),
        expiresAt: expiryOf(ask, facts),
      },
      body: ask,
    },
  ])
}

/** What an ask may say of who decides: R3 gives most of them to the owner, and only some can be shared. */
function misfitAsk(ask: NewAsk, facts: AskFacts): Failed | null {
  const { kind } = ask.subject
  if (ask.answerers !== null && kind !== 'question' && !facts.bySystem)
    return fail({
      kind: 'invalid',
      code: 'answerers_do_not_fit',
      message: `A ${kind.replaceAll('_', ' ')} ask is answered by the owner of its session; only questions name who answers.`,
    })
  if (facts.unknownAnswerers.length > 0)
    return fail({
      kind: 'invalid',
      code: 'unknown_person',
      message: `Nobody here is known as ${facts.unknownAnswerers.join(', ')}.`,
    })
  if (ask.needed > 1 && !canBeShared(kind))
    return fail({
      kind: 'invalid',
      code: 'votes_do_not_fit',
      message: `A ${kind.replaceAll('_', ' ')} ask has one answer; it can't need several people.`,
    })
  return null
}

export function decideAsk(
  ask: AskState | undefined,
  command: Exclude<AskCommand, { type: 'ask.open' }>,
  facts: AskFacts,
): Result<AskChange[]> {
  if (!ask) return notFound('ask', command.id)
  const ref = refOf(ask)
  switch (command.type) {
    case 'ask.answer':
      return decideAnswer(ask, command.answer, facts)
    case 'ask.expire':
      if (ask.status !== 'open') return closed(ask)
      if (ask.expiresAt === null || ask.expiresAt > iso(facts.now))
        return fail({ kind: 'conflict', code: 'ask_not_due', message: 'The ask has not reached its end of time.' })
      return ok(expiry(ask))
    case 'ask.cancel':
      return ask.status === 'open'
        ? ok([{ type: 'ask.cancelled', data: { ...ref, reason: command.reason } }])
        : closed(ask)
    case 'ask.claim':
      if (ask.status === 'consumed')
        return fail({ kind: 'conflict', code: 'already_consumed', message: 'The answer has been applied already.' })
      if (ask.status !== 'answered' || ask.answer === null || !hasEffect(ask.subject.kind, ask.answer))
        return fail({ kind: 'conflict', code: 'not_approved', message: `The ask is ${ask.status}, not approved.` })
      return ok([{ type: 'ask.claimed', data: ref }])
    case 'ask.release':
      return ask.status === 'applying'
        ? ok([{ type: 'ask.released', data: { ...ref, reason: command.reason } }])
        : notApplying(ask)
    case 'ask.consume':
      return ask.status === 'applying' ? ok([{ type: 'ask.consumed', data: ref }]) : notApplying(ask)
    case 'ask.fail':
      return ask.status === 'applying'
        ? ok([{ type: 'ask.failed', data: { ...ref, reason: command.reason } }])
        : notApplying(ask)
    default:
      return command satisfies never
  }
}

function decideAnswer(ask: AskState, answer: Answer, facts: AskFacts): Result<AskChange[]> {
  if (ask.status !== 'open') return closed(ask)
  const wrong = misfit(ask.subject, answer)
  if (wrong !== null) return fail({ kind: 'invalid', code: 'answer_does_not_fit', message: wrong })
  const ref = refOf(ask)
  const changes: AskChange[] = []
  if (ask.needed > 1 && isConsent(ask.subject, answer)) {
    if (facts.voter === null)
      return fail({ kind: 'conflict', code: 'needs_people', message: `This ask needs ${ask.needed} people.` })
    if (ask.voters.includes(facts.voter))
      return fail({
        kind: 'conflict',
        code: 'already_voted',
        message: 'You have consented to this ask already; it needs another person.',
        details: { given: ask.voters.length, needed: ask.needed },
      })
    const given = ask.voters.length + 1
    changes.push({
      type: 'ask.voted',
      data: { ...ref, by: facts.voter, outcome: answer.outcome, given, needed: ask.needed },
    })
    if (given < ask.needed) return ok(changes)
  }
  changes.push(answered(ref, answer, facts.by, false))
  return ok(changes)
}

const refOf = ({ id, sessionId, answerers }: Pick<AskState, 'id' | 'sessionId' | 'answerers'>) =>
  answerers === null ? { id, sessionId } : { id, sessionId, answerers }

const answered = (ref: ReturnType<typeof refOf>, answer: Answer, by: string, automatic: boolean): AskChange => ({
  type: 'ask.answered',
  data: { ...ref, by, outcome: answer.outcome, answerHash: sha256(canonicalJson(answer)), automatic },
  body: answer,
})

/** What the end of its time means for each kind (R9: a prompt goes on, an error never answers itself). */
function expiry(ask: AskState): AskChange[] {
  const ref = refOf(ask)
  if (ask.subject.kind !== 'prompt') return [{ type: 'ask.expired', data: ref }]
  if (ask.subject.promptType === 'error_recovery') return [{ type: 'ask.expiry_lifted', data: ref }]
  return [answered(ref, { outcome: 'continue' }, 'system:clock', true)]
}

function expiryOf(ask: NewAsk, facts: AskFacts): string | null {
  if (ask.subject.kind === 'prompt' && ask.subject.promptType === 'error_recovery') return null
  const seconds = ask.timeoutSeconds ?? defaultSeconds(ask.subject, facts.timeouts)
  return seconds === 0 ? null : iso(facts.now + seconds * 1000)
}

function defaultSeconds(subject: AskSubject, timeouts: AskTimeouts): number {
  switch (subject.kind) {
    case 'prompt':
      return timeouts.promptSeconds
    case 'wait':
      return timeouts.waitSeconds
    case 'question':
      return 300
    case 'terminal_prompt':
      return 0
    default:
      return timeouts.approvalSeconds
  }
}

/** A late answer is refused, and told what became of the ask and who was first. */
function closed(ask: AskState): Failed {
  const who = ask.answeredBy === null ? '' : ` by ${ask.answeredBy}`
  const details = { status: ask.status, answeredBy: ask.answeredBy, answer: ask.answer }
  switch (ask.status) {
    case 'expired':
      return fail({
        kind: 'conflict',
        code: 'ask_expired',
        message: 'The ask expired before the answer came.',
        details,
      })
    case 'interrupted':
    case 'cancelled':
      return fail({ kind: 'conflict', code: `ask_${ask.status}`, message: `The ask was ${ask.status}.`, details })
    default:
      return fail({ kind: 'conflict', code: 'already_answered', message: `The ask was answered${who}.`, details })
  }
}

const notApplying = (ask: AskState): Failed =>
  fail({ kind: 'conflict', code: 'not_applying', message: `The ask is ${ask.status}; nothing is being applied.` })

const sessionEnded = (status: SessionStatus): Failed =>
  fail({
    kind: 'conflict',
    code: 'session_ended',
    message: `The session has ended (${status}); it can't ask any more.`,
    hint: 'Continue it as a new session.',
  })
