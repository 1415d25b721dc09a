import type { App } from '../../app/app.ts'
import type { Follower } from '../../app/follow.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { proposalOf } from '../../domain/policy/propose.ts'
import type { RuleId } from '../../domain/policy/schema.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { canonicalJson } from '../../lib/json.ts'

const policyStanding = systemStanding('policy')
const mostLookedAt = 500

/** Proposes a rule when an answer says "always"; a person has to confirm it (B3). */
export function proposalFollower(app: App): Follower {
  return {
    name: 'policy-proposals',
    scope: 'single',
    from: 'now',
    types: ['ask.answered'],
    async handle(event, guard) {
      if (event.type !== 'ask.answered' || event.data.automatic) return
      const ask = await app.read.ask(policyStanding, event.data.id)
      if (!ask.ok || ask.value.sessionId === null || !saysAlways(ask.value)) return
      const session = await app.read.session(policyStanding, ask.value.sessionId)
      if (!session.ok) return
      const { workspaceRoot } = session.value
      const rule = proposalOf(ask.value.subject, { workspaceRoot })
      if (rule === null) return
      const past = await app.read.asks(policyStanding, { workspaceRoot, limit: mostLookedAt })
      const same = (past.ok ? past.value : []).filter(
        (one) =>
          !one.automatic &&
          saysYes(one) &&
          canonicalJson(proposalOf(one.subject, { workspaceRoot })) === canonicalJson(rule),
      )
      const id = derivedId<RuleId>('rule', event.id)
      const command = {
        type: 'policy.propose' as const,
        id,
        workspaceRoot,
        rule,
        askId: ask.value.id,
        evidence: Math.max(1, same.length),
        proposedBy: ask.value.answeredBy ?? 'system:policy',
      }
      const done = await app.dispatch(command, policyStanding.actor, { guard })
      if (!done.ok && done.fault.kind === 'unavailable') throw new Error(done.fault.code)
    },
  }
}

const saysYes = ({ answer, subject }: Ask): boolean =>
  answer?.outcome === 'approve' ||
  (answer?.outcome === 'select' &&
    subject.kind === 'permission' &&
    subject.options.some(({ optionId, kind }) => optionId === answer.optionId && kind.startsWith('allow')))

function saysAlways({ answer, subject }: Ask): boolean {
  if (answer?.outcome === 'approve') return answer.always
  if (answer?.outcome !== 'select' || subject.kind !== 'permission') return false
  return subject.options.some(({ optionId, kind }) => optionId === answer.optionId && kind === 'allow_always')
}
