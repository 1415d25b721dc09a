import { derivedId } from '../../lib/derived-id.ts'
import type { AskId, NewAsk } from '../ask/schema.ts'
import type { UserId } from '../user/id.ts'
import type { Budget, BudgetId } from './schema.ts'

export type Spending = { readonly costUsd: number; readonly tokens: number }

/** Each consent allows as much again, until the period ends. */
export const allowedBy = ({ costUsd, tokens }: Pick<Budget, 'costUsd' | 'tokens'>, consents: number) => ({
  costUsd: costUsd === null ? null : costUsd * (1 + consents),
  tokens: tokens === null ? null : tokens * (1 + consents),
})

const words = { day: 'today', month: 'this month' } as const

/** How much of the budget is used, as text; null until it is used up. */
export function usedUp(budget: Budget, spent: Spending, consents: number): string | null {
  const { costUsd, tokens } = allowedBy(budget, consents)
  // Sums of fractions of cents are not exact.
  if (costUsd !== null && spent.costUsd >= costUsd - 1e-9)
    return `$${spent.costUsd.toFixed(2)} of $${costUsd.toFixed(2)} ${words[budget.period]}`
  if (tokens !== null && spent.tokens >= tokens) return `${spent.tokens} of ${tokens} tokens ${words[budget.period]}`
  return null
}

/** What the budget is for, in words. */
export const subjectOf = ({ scope }: Pick<Budget, 'scope'>, label: string): string =>
  scope === 'server' ? 'all sessions' : scope === 'repo' ? `the repo ${label}` : `sessions of ${label}`

const pausedPrefix = 'the budget of '
const pausedMiddle = ' is used up: '
export const pausedByBudget = (subject: string, spent: string): string =>
  `${pausedPrefix}${subject}${pausedMiddle}${spent}`
export const isPausedByBudget = (reason: unknown): boolean =>
  typeof reason === 'string' && reason.startsWith(pausedPrefix) && reason.includes(pausedMiddle)

/** Asks of a period have ids made from it, so that every node and every restart means the same ones. */
export const budgetAskId = (id: BudgetId, since: string, count: number): AskId =>
  derivedId<AskId>(id, 'budget', since, count)

/** Never expires: only people decide about money. It is about many sessions, so it belongs to none. */
export function usedUpAsk(input: {
  readonly id: BudgetId
  readonly since: string
  readonly count: number
  readonly subject: string
  readonly spent: string
  readonly answerers: readonly UserId[]
}): NewAsk {
  const { id, since, count, subject, spent, answerers } = input
  const text = `The budget of ${subject} is used up: ${spent}. Continue with as much again?`
  return {
    id: budgetAskId(id, since, count),
    sessionId: null,
    origin: 'system',
    title: `Budget of ${subject} used up: ${spent}`,
    description: `${about}(${id})`,
    riskLevel: 'low',
    subject: { kind: 'prompt', text, promptType: 'resource_warning', elapsedSeconds: null, actionsTaken: null },
    needed: 1,
    answerers: answerers.slice(0, 100),
    timeoutSeconds: 0,
  }
}

const about = 'Budget '

/** The budget that an ask is about; null for other asks. */
export function budgetOfAsk(ask: {
  readonly sessionId: string | null
  readonly origin: string
  readonly kind: string
  readonly description: string | null
}): BudgetId | null {
  if (ask.sessionId !== null || ask.origin !== 'system' || ask.kind !== 'prompt') return null
  const id = /^Budget \(([0-9a-f-]{36})\)$/.exec(ask.description ?? '')?.[1]
  return id === undefined ? null : (id as BudgetId)
}
