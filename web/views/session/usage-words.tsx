import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import { costWords, tokenWords } from '../sessions/session-words.ts'

/** What it used of its context, cost and budget, as far as the agent tells. */
export function UsageWords({ session: { agentState } }: { session: SessionDetail }) {
  const { usage, budget } = agentState ?? {}
  if (!usage && !budget) return null
  const { used = null, size = null } = usage ?? {}
  const cost = costWords(usage?.costUsd)
  const costLimit = costWords(budget?.costUsd)
  const tokenLimit = budget?.tokens ?? null
  const isClose =
    (budget?.costUsd && usage?.costUsd && usage.costUsd / budget.costUsd > 0.8) ||
    (tokenLimit && used && used / tokenLimit > 0.8)
  return (
    <span className={`flex flex-wrap gap-x-2.5 tabular-nums ${isClose ? 'font-medium text-wait' : ''}`}>
      {used !== null && (
        <span title="Tokens in the context of the agent">
          {tokenWords(used)}
          {(tokenLimit ?? size) !== null && ` of ${tokenWords(tokenLimit ?? size ?? 0)}`} tokens
        </span>
      )}
      {(cost ?? costLimit) !== null && (
        <span title="As the agent reports it">
          {cost ?? '$0.00'}
          {costLimit !== null && ` of ${costLimit}`}
        </span>
      )}
    </span>
  )
}
