import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import { costText, tokenText } from '../sessions/session-labels.ts'

/** Context, cost and budget used, as reported by the agent. */
export function UsageText({ session: { agentState } }: { session: SessionDetail }) {
  const { usage, budget } = agentState ?? {}
  if (!usage && !budget) return null
  const { used = null, size = null } = usage ?? {}
  const cost = costText(usage?.costUsd)
  const costLimit = costText(budget?.costUsd)
  const tokenLimit = budget?.tokens ?? null
  const isClose =
    (budget?.costUsd && usage?.costUsd && usage.costUsd / budget.costUsd > 0.8) ||
    (tokenLimit && used && used / tokenLimit > 0.8)
  return (
    <span className={`flex flex-wrap gap-x-2.5 tabular-nums ${isClose ? 'font-medium text-wait' : ''}`}>
      {used !== null && (
        <span title="Tokens in the agent’s context">
          {tokenText(used)}
          {(tokenLimit ?? size) !== null && ` of ${tokenText(tokenLimit ?? size ?? 0)}`} tokens
        </span>
      )}
      {(cost ?? costLimit) !== null && (
        <span title="As reported by the agent">
          {cost ?? '$0.00'}
          {costLimit !== null && ` of ${costLimit}`}
        </span>
      )}
    </span>
  )
}
