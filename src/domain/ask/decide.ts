import { canonicalJson } from '../../lib/json.ts'
import { iso } from '../../lib/clock.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { messageAdded } from '../message/decide.ts'
import type { MessageChange } from '../message/schema.ts'
import { handOver } from '../queue/hand-over.ts'
import type { QueueChange } from '../queue/schema.ts'
import type { SessionOwnChange } from '../session/schema.ts'
import { notConfirmed } from '../terminal/not-confirmed.ts'
import { higherRisk } from '../risk/finding.ts'
import { judgeRisk } from '../risk/judge.ts'
import { hasEnded, type SessionStatus } from '../session/status.ts'
import { lateAnswer } from './late-answer.ts'
import { canBeShared, consentTo, hasEffect, isConsent, misfit, unconfirmedDanger, type Answer } from './answer.ts'
import { answeredBy } from './answered.ts'
import type { AskChange, JudgedAsk } from './change.ts'
import { approversOf, decideEscalation, withSubject } from './decide-administration.ts'
import { withoutSecrets } from './masked.ts'
import { decideRetract } from './retract.ts'
import type { AskCommand, NewAsk } from './schema.ts'
import type { AskFacts, AskSession, AskState, AskTimeouts, RiskRouting } from './state.ts'
import { isAdministrative } from './kinds.ts'
import { isAboutGroup, type AskSubject } from './subject.ts'

const usualAdminAsk = 86_400
const soleOrigins: readonly NewAsk['origin'][] = ['ask_approval', 'clearance/request']
export const isSoleApproval = (origin: NewAsk['origin']): boolean => soleOrigins.includes(origin)

export function decideAskOpen(
  existing: AskState | undefined,
  session: AskSession | null | undefined,
  command: AskOpen,
  facts: AskFacts,
): Result<(AskChange | QueueChange | MessageChange)[]> {
  const { id } = command.ask
  if (existing) return fail({ kind: 'conflict', code: 'ask_exists', message: `Ask ${id} already exists.` })
  const whole = withSubject(command, facts)
  if (!whole.ok) return whole
  const judged = judgedAsk(whole.value, session ?? null)
  const ask = withoutSecrets(session ? routed(judged, session, facts.routing) : judged)
  const wrong = misfitAsk(command.ask, facts)
  if (wrong) return wrong
  if (ask.sessionId !== null) {
    if (!session) return notFound('session', ask.sessionId)
    if (hasEnded(session.status)) return sessionEnded(session.status)
    if (isSoleApproval(ask.origin) && session.openApproval !== null)
      return fail({
        kind: 'conflict',
        code: 'approval_pending',
        message: 'The session already has an open approval. Only one is allowed at a time.',
        hint: `Wait for it first: call ask_approval with only request_id ${session.openApproval}.`,
        details: { askId: session.openApproval },
      })
  }
  const found = approversOf(ask, facts)
  if (!found.ok) return found
  const approvers = found.value
  const opened: AskChange[] = [
    {
      type: 'ask.opened',
      data: {
        ...refOf(ask),
        kind: ask.subject.kind,
        origin: ask.origin,
        riskLevel: ask.riskLevel,
        claimedRisk: ask.claimedRisk,
        judgedRisk: ask.judgedRisk,
        subjectHash: sha256(canonicalJson(ask.subject)),
        expiresAt: expiryOf(ask, facts),
        ...(neverExpires(ask) && { alertAt: iso(facts.now + facts.timeouts.promptSeconds * 1000) }),
        ...(approvers && { agentGroupId: approvers.agentGroupId }),
        ...(approvers?.escalatesAt && { escalatesAt: approvers.escalatesAt }),
      },
      body: { ...ask, approvers },
    },
  ]
  if (ask.subject.kind === 'wait' && ask.sessionId !== null && session?.instruction)
    return ok([...opened, ...handOver({ id: ask.id, sessionId: ask.sessionId }, session.instruction, facts.noteId)])
  // A command registered word for word was already judged: policy uses the claimed risk.
  const ruled = session && facts.registered ? routed(withRisk(judged, judged.claimedRisk), session, facts.routing) : ask
  return automaticAnswer(ruled, command, facts, opened)
}

/** The higher of the judged and the claimed risk decides the routing (S6). Automatic answers are not judged. */
function judgedAsk({ ask, automatic }: AskOpen, session: AskSession | null): JudgedAsk {
  const claimedRisk = ask.riskLevel
  const { level, reasons } = automatic
    ? { level: 'low' as const, reasons: [] }
    : judgeRisk(ask.subject, { workspaceRoot: session?.workspaceRoot ?? '/' })
  return { ...ask, riskLevel: higherRisk(claimedRisk, level), claimedRisk, judgedRisk: level, riskReasons: reasons }
}

const withRisk = (ask: JudgedAsk, riskLevel: NewAsk['riskLevel']): JudgedAsk => ({ ...ask, riskLevel })

type AskOpen = Extract<AskCommand, { type: 'ask.open' }>

/** Recorded like a person's answer, in the same transaction. */
function automaticAnswer(ask: NewAsk, command: AskOpen, facts: AskFacts, opened: AskChange[]): Result<AskChange[]> {
  const { automatic } = command
  if (automatic && !facts.bySystem)
    return fail({ kind: 'forbidden', code: 'not_for_callers', message: 'Only Signalbox answers immediately.' })
  const rule = automatic?.rule ?? facts.rule
  const answer = automatic?.answer ?? consentTo(ask.subject)
  const byRule = rule !== null && answer !== null && misfit(ask.subject, answer) === null && ask.needed === 1
  const allowed = byRule || automatic ? undefined : allowance(ask, facts)
  if (allowed && answer !== null && misfit(ask.subject, answer) === null)
    return ok([...opened, answeredBy(refOf(ask), answer, `session:${allowed.id}`, true)])
  if (!byRule) return command.unasked ? fail(noRule) : ok(opened)
  return ok([...opened, answeredBy(refOf(ask), answer, `policy:${rule}`, true)])
}

/** A person allowed the same for this session, at this risk or a higher one; what is critical is always asked. */
const allowance = (ask: NewAsk, { allowed = [] }: AskFacts) =>
  ask.needed > 1 || ask.riskLevel === 'critical'
    ? undefined
    : allowed.find(({ risk }) => higherRisk(risk, ask.riskLevel) === risk)

const noRule = {
  kind: 'conflict' as const,
  code: 'no_rule',
  message: 'No rule answers this, and asking was turned off.',
}

/** B4: an ask of this risk may need several people, and may also go to reviewers. */
function routed(ask: JudgedAsk, session: AskSession, routing: RiskRouting): JudgedAsk {
  const { needed, reviewers } = routing[ask.riskLevel]
  if (!canBeShared(ask.subject.kind)) return ask
  // Administrators answer these, and nobody else.
  if (isAboutGroup(ask.subject)) return { ...ask, needed: Math.max(ask.needed, needed) }
  if (isAdministrative(ask.subject.kind)) return ask
  const answerers =
    reviewers.length === 0 || ask.answerers !== null ? ask.answerers : [...new Set([session.ownerUserId, ...reviewers])]
  return { ...ask, needed: Math.max(ask.needed, needed), answerers }
}

/** Limits who an ask may name: R3 gives most asks to the owner, and only some can be shared. */
function misfitAsk(ask: NewAsk, facts: AskFacts): Failed | null {
  const { kind } = ask.subject
  if (ask.answerers !== null && kind !== 'question' && !facts.bySystem)
    return fail({
      kind: 'invalid',
      code: 'answerers_do_not_fit',
      message: `A ${kind.replaceAll('_', ' ')} ask is answered by the session's owner; only questions can name who answers.`,
    })
  // The answer is typed into a terminal, so only a prompt that Signalbox has detected may ask for it.
  if (ask.subject.kind === 'terminal_prompt' && ask.subject.promptId !== null && !facts.bySystem)
    return fail({
      kind: 'invalid',
      code: 'prompt_not_seen',
      message: 'Signalbox itself opens asks about terminal prompts.',
    })
  if (facts.unknownAnswerers.length > 0)
    return fail({
      kind: 'invalid',
      code: 'unknown_person',
      message: `Unknown people: ${facts.unknownAnswerers.join(', ')}.`,
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
): Result<(AskChange | MessageChange | QueueChange | SessionOwnChange)[]> {
  if (!ask) return notFound('ask', command.id)
  const ref = refOf(ask)
  switch (command.type) {
    case 'ask.answer':
      return decideAnswer(ask, command.answer, facts)
    case 'ask.expire':
      if (ask.status !== 'open') return closed(ask)
      if (isErrorRecovery(ask.subject)) return ok(expiry(ask, facts))
      if (ask.expiresAt === null || ask.expiresAt > iso(facts.now))
        return fail({ kind: 'conflict', code: 'ask_not_due', message: 'The ask has not expired yet.' })
      return ok(expiry(ask, facts))
    case 'ask.escalate':
      return ask.status === 'open' ? decideEscalation(ask, facts, ref) : closed(ask)
    case 'ask.cancel':
      return ask.status === 'open'
        ? ok([{ type: 'ask.cancelled', data: { ...ref, reason: command.reason } }])
        : closed(ask)
    case 'ask.claim':
      if (ask.status === 'consumed' || ask.status === 'applying')
        return fail({
          kind: 'conflict',
          code: 'already_consumed',
          message: ask.status === 'consumed' ? 'It has been applied already.' : 'It is being applied right now.',
        })
      if (ask.status !== 'answered' || ask.answer === null || !hasEffect(ask.subject.kind, ask.answer))
        return notApproved(ask)
      return ok([{ type: 'ask.claimed', data: ref, ...(command.node !== undefined && { body: command.node }) }])
    case 'ask.release':
      return ask.status === 'applying'
        ? ok([{ type: 'ask.released', data: { ...ref, reason: command.reason } }])
        : notApplying(ask)
    case 'ask.consume':
      return ask.status === 'applying'
        ? ok([{ type: 'ask.consumed', data: ref, body: command.result ?? null }])
        : notApplying(ask)
    case 'ask.undo':
      if (!mayUndo(ask) || ask.undone)
        return fail({
          kind: 'conflict',
          code: 'nothing_to_undo',
          message: ask.undone ? 'It has been undone already.' : `The ask is ${ask.status}; nothing was applied.`,
        })
      return ok([{ type: 'ask.undone', data: ref }])
    case 'ask.retract':
      return decideRetract(ask, command.reason, facts.by)
    case 'ask.fail':
      return ask.status === 'applying'
        ? ok([{ type: 'ask.failed', data: { ...ref, reason: command.reason } }])
        : notApplying(ask)
    default:
      return command satisfies never
  }
}

/** A permitted agent applies the change itself; all other changes are applied by us. */
const mayUndo = (ask: AskState): boolean =>
  ask.status === 'consumed' ||
  (ask.status === 'answered' &&
    ask.subject.kind === 'permission' &&
    ask.answer !== null &&
    isConsent(ask.subject, ask.answer))

function decideAnswer(
  ask: AskState,
  answer: Answer,
  facts: AskFacts,
): Result<(AskChange | MessageChange | QueueChange | SessionOwnChange)[]> {
  const late = lateAnswer(ask, answer, facts)
  if (late) return late
  if (ask.status !== 'open') return closed(ask)
  const wrong = misfit(ask.subject, answer)
  if (wrong !== null) return fail({ kind: 'invalid', code: 'answer_does_not_fit', message: wrong })
  const danger = unconfirmedDanger(ask.subject, answer)
  if (danger !== null) return notConfirmed(danger)
  const ref = refOf(ask)
  const changes: AskChange[] = []
  if (ask.needed > 1 && isConsent(ask.subject, answer)) {
    if (facts.voter === null)
      return fail({ kind: 'conflict', code: 'needs_people', message: `This ask needs ${ask.needed} people.` })
    if (ask.voters.includes(facts.voter))
      return fail({
        kind: 'conflict',
        code: 'already_voted',
        message: 'You have already approved this ask; it needs another person.',
        details: { given: ask.voters.length, needed: ask.needed },
      })
    const given = ask.voters.length + 1
    changes.push({
      type: 'ask.voted',
      data: { ...ref, by: facts.voter, outcome: answer.outcome, given, needed: ask.needed },
    })
    if (given < ask.needed) return ok(changes)
  }
  const kept = forSession(ask, answer, facts)
  if (!kept.ok) return kept
  return ok([...changes, answeredBy(ref, answer, facts.by, false), ...kept.value])
}

/** What the answer allows for the rest of the session. */
function forSession(ask: AskState, answer: Answer, { allowable, by }: AskFacts): Result<SessionOwnChange[]> {
  const { subject, sessionId: id } = ask
  const chosen = answer.outcome === 'approve' && answer.forSession === true
  const selected =
    answer.outcome === 'select' && subject.kind === 'permission'
      ? subject.options.some(({ optionId, kind }) => optionId === answer.optionId && kind === 'allow_always')
      : false
  if (!chosen && !selected) return ok([])
  const fits = allowable && id !== null && ask.needed === 1 && ask.riskLevel !== 'critical'
  if (fits) {
    const data = { id, allowanceId: ask.id, what: allowable.what, risk: ask.riskLevel, by }
    return ok([{ type: 'session.allowed', data, body: { key: allowable.key } }])
  }
  // The agent's own words for "always" count once.
  return chosen ? fail(onlyOnce) : ok([])
}

const onlyOnce = {
  kind: 'invalid' as const,
  code: 'only_once',
  message: 'This can only be allowed once, not for the whole session.',
  hint: 'Approve it without forSession.',
}

const refOf = ({ id, sessionId, answerers }: Pick<AskState, 'id' | 'sessionId' | 'answerers'>) =>
  answerers === null ? { id, sessionId } : { id, sessionId, answerers }

/** What expiry means for each kind (R9: a prompt continues, an error is never answered automatically). */
function expiry(ask: AskState, facts: AskFacts): (AskChange | MessageChange | SessionOwnChange)[] {
  const ref = refOf(ask)
  if (ask.subject.kind !== 'prompt') return [{ type: 'ask.expired', data: ref }]
  if (isErrorRecovery(ask.subject)) return [{ type: 'ask.expiry_lifted', data: ref }, ...unanswered(ask, facts)]
  return [answeredBy(ref, { outcome: 'continue' }, 'system:clock', true)]
}

const isErrorRecovery = (subject: AskSubject): boolean =>
  subject.kind === 'prompt' && subject.promptType === 'error_recovery'

const neverExpires = (ask: NewAsk): boolean => isErrorRecovery(ask.subject) && ask.sessionId !== null

/** The ask stays open, and a note says so. */
function unanswered({ sessionId }: AskState, { noteId }: AskFacts): (MessageChange | SessionOwnChange)[] {
  if (sessionId === null) return []
  const text = 'The agent has reported an error and is waiting for a person. No rule answers that.'
  return [
    messageAdded(noteId, sessionId, 'system', { type: 'text', text, partial: false }),
    { type: 'session.alerted', data: { id: sessionId, what: 'error_recovery', messageId: noteId } },
  ]
}

function expiryOf(ask: NewAsk, facts: AskFacts): string | null {
  if (isErrorRecovery(ask.subject)) return null
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
    case 'packages':
    case 'mcp_server':
    case 'create_agent':
    case 'credential':
    case 'admin_command':
      return timeouts.adminAskSeconds ?? usualAdminAsk
    default:
      return timeouts.approvalSeconds
  }
}

/** A late answer is refused and told the outcome and who answered first. */
function closed(ask: AskState): Failed {
  const who = ask.answeredBy === null ? '' : ` by ${ask.answeredBy}`
  const details = { status: ask.status, answeredBy: ask.answeredBy, answer: ask.answer }
  switch (ask.status) {
    case 'expired':
      return fail({
        kind: 'conflict',
        code: 'ask_expired',
        message: 'The ask expired before your answer.',
        details,
      })
    case 'interrupted':
    case 'cancelled':
      return fail({ kind: 'conflict', code: `ask_${ask.status}`, message: `The ask was ${ask.status}.`, details })
    default:
      return fail({ kind: 'conflict', code: 'already_answered', message: `The ask was answered${who}.`, details })
  }
}

function notApproved({ status, answer, answeredBy, retracted }: AskState): Failed {
  const how = retracted
    ? `The approval was retracted by ${answeredBy ?? 'a person'}`
    : answer === null
      ? `The ask is ${status === 'open' ? 'still open' : status}`
      : `It was answered with ${answer.outcome}${answeredBy === null ? '' : ` by ${answeredBy}`}`
  const hint =
    status === 'open' ? 'Wait for its answer: ask_approval with this request_id and nothing else.' : undefined
  return fail({ kind: 'conflict', code: 'not_approved', message: `${how}; it is not approved.`, hint })
}

const notApplying = (ask: AskState): Failed =>
  fail({ kind: 'conflict', code: 'not_applying', message: `The ask is ${ask.status}; nothing is being applied.` })

const sessionEnded = (status: SessionStatus): Failed =>
  fail({
    kind: 'conflict',
    code: 'session_ended',
    message: `The session has ended (${status}); it can no longer ask.`,
    hint: 'Continue it as a new session.',
  })
