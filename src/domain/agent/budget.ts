import type { AgentAbout, Usage } from './about.ts'
import type { AskId, NewAsk } from '../ask/schema.ts'
import type { SessionId } from '../session/id.ts'
import { derivedId } from '../../lib/derived-id.ts'

export type Budget = NonNullable<AgentAbout['budget']>

/** How much of the budget is used, as text; null until it is used up. */
export function overspent(budget: Budget | null, usage: Usage | null): string | null {
  if (budget === null || usage === null) return null
  const { costUsd, tokens } = budget
  if (costUsd !== null && usage.costUsd !== null && usage.costUsd >= costUsd)
    return `$${usage.costUsd.toFixed(2)} of $${costUsd.toFixed(2)}`
  if (tokens !== null && usage.used !== null && usage.used >= tokens) return `${usage.used} of ${tokens} tokens`
  return null
}

/** Adds the original amount on top of what was spent. */
export const raised = (budget: Budget, first: Budget, usage: Usage): Budget => ({
  costUsd: budget.costUsd === null ? null : Math.max(budget.costUsd, usage.costUsd ?? 0) + (first.costUsd ?? 0),
  tokens: budget.tokens === null ? null : Math.max(budget.tokens, usage.used ?? 0) + (first.tokens ?? 0),
})

/** Never expires: only people decide about money. */
export function budgetAsk(sessionId: SessionId, count: number, spent: string): NewAsk {
  const text = `The budget is used up: ${spent}. Continue with as much again?`
  return {
    id: derivedId<AskId>(sessionId, 'budget', count),
    sessionId,
    origin: 'system',
    title: `Budget used up: ${spent}`,
    description: null,
    riskLevel: 'low',
    subject: { kind: 'prompt', text, promptType: 'resource_warning', elapsedSeconds: null, actionsTaken: null },
    needed: 1,
    answerers: null,
    timeoutSeconds: 0,
  }
}
