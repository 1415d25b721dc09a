import { isConsent, misfit } from '../ask/answer.ts'
import type { Ask } from '../ask/schema.ts'
import type { AskSubject } from '../ask/subject.ts'
import type { Policy } from './compile.ts'
import { judge } from './judge.ts'
import { policySubjectOf } from './policy-subject.ts'
import type { PolicyReplay } from './schema.ts'

/** The fields of a past ask that a policy is tested with. */
export type PastAsk = Pick<
  Ask,
  'id' | 'title' | 'kind' | 'riskLevel' | 'subject' | 'answer' | 'answeredBy' | 'answeredAt' | 'automatic' | 'needed'
>

const kinds: readonly string[] = ['diff', 'command', 'tool', 'permission', 'prompt'] satisfies AskSubject['kind'][]

type ReplayReport = Omit<PolicyReplay, 'ignored'>

/** Tests a policy against past asks: what it would have answered, and where people answered otherwise. */
export function replay(asks: readonly PastAsk[], policy: Policy, workspaceRoot: string): ReplayReport {
  const running = startReplay(policy, workspaceRoot)
  running.add(asks)
  return running.report()
}

/** The same, page by page: the asks of a year would not fit in memory. */
export function startReplay(
  policy: Policy,
  workspaceRoot: string,
): { add(asks: readonly PastAsk[]): void; report(): ReplayReport } {
  const report: ReplayReport = { asks: 0, answered: 0, same: 0, wouldAsk: 0, differ: [], rules: [] }
  const rules = new Map<string, { rule: string; answered: number; differ: number }>()

  function add(ask: PastAsk): void {
    if (!kinds.includes(ask.kind)) return
    report.asks += 1
    const rule = answerOf(ask, policy, workspaceRoot)
    if (rule === null) {
      if (ask.automatic) report.wouldAsk += 1
      return
    }
    report.answered += 1
    const count = rules.get(rule) ?? { rule, answered: 0, differ: 0 }
    rules.set(rule, count)
    count.answered += 1
    const { id: askId, title, kind, answer, answeredBy: by, answeredAt: at } = ask
    // Expired and withdrawn asks have no answer to compare with.
    if (answer === null || by === null) return
    if (answer.outcome === 'continue' || isConsent(ask.subject, answer)) report.same += 1
    else {
      count.differ += 1
      report.differ.push({ askId, title, kind, rule, chose: choice(ask.subject, answer), by, at })
    }
  }

  return {
    add: (asks) => asks.forEach(add),
    report: () => ({
      ...report,
      rules: [...rules.values()].toSorted((a, b) => b.answered - a.answered || (a.rule < b.rule ? -1 : 1)),
    }),
  }
}

function answerOf(ask: PastAsk, policy: Policy, workspaceRoot: string): string | null {
  // A policy never answers an ask that needs several people.
  if (ask.needed > 1) return null
  const allowed = { outcome: 'approve' as const, always: false, reason: null }
  if (ask.subject.kind === 'permission' && misfit(ask.subject, allowed) !== null) return null
  const asked = policySubjectOf(ask.subject, { workspaceRoot })
  return asked && judge(policy, asked, ask.riskLevel)
}

function choice(subject: AskSubject, answer: NonNullable<Ask['answer']>): string {
  if (subject.kind !== 'permission' || answer.outcome !== 'select') return answer.outcome
  return subject.options.find(({ optionId }) => optionId === answer.optionId)?.name ?? answer.optionId
}
