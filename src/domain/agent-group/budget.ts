import { derivedId } from '../../lib/derived-id.ts'
import type { Ask, AskId, NewAsk } from '../ask/schema.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { GroupBudget } from './container-config.ts'

export type Spent = { readonly costUsd: number; readonly tokens: number }

/** The first day of the current period; null: since the beginning. Days are in UTC. */
export function periodStart({ period }: Pick<GroupBudget, 'period'>, at: string): string | null {
  if (period === 'total') return null
  return period === 'day' ? at.slice(0, 10) : `${at.slice(0, 7)}-01`
}

const words = { day: 'today', month: 'this month', total: 'in total' } as const

/** How much of the budget is used, as text; null until it is used up. Each consent of an admin allows as much again. */
export function groupOverspent(budget: GroupBudget | null, spent: Spent, consents: number): string | null {
  if (budget === null) return null
  const { costUsd, tokens, period } = budget
  if (costUsd !== null && spent.costUsd >= costUsd * (1 + consents))
    return `$${spent.costUsd.toFixed(2)} of $${(costUsd * (1 + consents)).toFixed(2)} ${words[period]}`
  if (tokens !== null && spent.tokens >= tokens * (1 + consents))
    return `${spent.tokens} of ${tokens * (1 + consents)} tokens ${words[period]}`
  return null
}

const pausedPrefix = 'the budget of its agent group is used up'
export const pausedByGroup = (spent: string): string => `${pausedPrefix}: ${spent}`
export const isPausedByGroup = (reason: unknown): boolean =>
  typeof reason === 'string' && reason.startsWith(pausedPrefix)

/** Never expires: only people decide about money. It belongs to the group, so it outlives the session that opened it. */
export function groupBudgetAsk(input: {
  readonly id: AgentGroupId
  readonly since: string | null
  readonly count: number
  readonly name?: string
  readonly spent?: string
  readonly approvers?: readonly UserId[]
}): NewAsk {
  const { id, since, count, name = '', spent = '', approvers = [] } = input
  const text = `The agent group ${name} has used up its budget: ${spent}. Continue with as much again?`
  return {
    id: derivedId<AskId>(id, 'group budget', since ?? 'total', count),
    sessionId: null,
    origin: 'system',
    title: `Budget of ${name} used up: ${spent}`,
    description: `${about}${name} (${id})`,
    riskLevel: 'low',
    subject: { kind: 'prompt', text, promptType: 'resource_warning', elapsedSeconds: null, actionsTaken: null },
    needed: 1,
    answerers: approvers.slice(0, 100),
    timeoutSeconds: 0,
  }
}

const about = 'Agent group '

/** The agent group that such an ask is about; null for other asks. */
export function groupOfBudgetAsk(ask: Pick<Ask, 'sessionId' | 'origin' | 'kind' | 'description'>): AgentGroupId | null {
  if (ask.sessionId !== null || ask.origin !== 'system' || ask.kind !== 'prompt') return null
  const id = /^Agent group .*\(([0-9a-f-]{36})\)$/s.exec(ask.description ?? '')?.[1]
  return id === undefined ? null : (id as AgentGroupId)
}
