import { iso } from '../../lib/clock.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { circleFor, completed, escalationTime, nextCircle, type Approvers } from './administration.ts'
import type { AskChange, JudgedAsk } from './change.ts'
import type { AskCommand } from './schema.ts'
import type { AskFacts, AskState } from './state.ts'
import { isAboutGroup } from './subject.ts'

type AskOpen = Extract<AskCommand, { type: 'ask.open' }>

const usualEscalation = 3600

/** An ask about an agent group says exactly what would change there. */
export function withSubject(command: AskOpen, { administration }: AskFacts): Result<AskOpen> {
  const { ask } = command
  if (!isAboutGroup(ask.subject) || !administration) return ok(command)
  const subject = completed(ask.subject, administration)
  return subject.ok ? ok({ ...command, ask: { ...ask, subject: subject.value } }) : subject
}

/** Whom it goes to first; null if it is not about an agent group. */
export function approversOf(ask: JudgedAsk, facts: AskFacts): Result<Approvers | null> {
  const { administration, separateRequester: separate, timeouts } = facts
  if (!administration) return ok(null)
  const { circles, requester, group } = administration
  const circle = circleFor(circles, { from: 'group', needed: ask.needed, requester, separate })
  if (circle === null)
    return fail({
      kind: 'conflict',
      code: 'no_approver',
      message: 'Nobody can approve this: there is no admin besides the person who wants it.',
      hint: 'Ask an owner to add an admin.',
    })
  const isLast = nextCircle(circles, circle, requester, separate) === null
  const escalatesAt = isLast ? null : escalationTime(facts.now, timeouts.adminEscalationSeconds ?? usualEscalation)
  return ok({ agentGroupId: group.id, requester, circle, escalatesAt })
}

/** The next circle is asked too; those who were asked before still can answer. */
export function decideEscalation(
  { agentGroupId, circle, requestedBy }: AskState,
  { escalation, separateRequester: separate, timeouts, now }: AskFacts,
  ref: Pick<AskState, 'id' | 'sessionId'>,
): Result<AskChange[]> {
  if (agentGroupId === null || circle === null || !escalation || escalation.dueAt === null)
    return fail({ kind: 'conflict', code: 'ask_not_due', message: 'Everyone who can answer has been asked.' })
  // Two nodes may notice it at once.
  if (escalation.dueAt > iso(now))
    return fail({ kind: 'conflict', code: 'ask_not_due', message: 'It is too early to ask more administrators.' })
  const { circles } = escalation
  const next = nextCircle(circles, circle, requestedBy, separate)
  const further = next === null ? null : nextCircle(circles, next, requestedBy, separate)
  const escalatesAt = further === null ? null : escalationTime(now, timeouts.adminEscalationSeconds ?? usualEscalation)
  return ok([{ type: 'ask.escalated', data: { ...ref, agentGroupId, circle: next ?? circle, escalatesAt } }])
}
