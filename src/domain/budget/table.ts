import type { SessionId } from '../session/id.ts'
import type { UserId } from '../user/id.ts'
import type { RepoId } from '../workspace/id.ts'
import type { BudgetPeriod, BudgetScope } from './about.ts'
import type { BudgetId } from './schema.ts'

export type BudgetTables = {
  budgets: {
    id: BudgetId
    scope: BudgetScope
    repo_id: RepoId | null
    user_id: UserId | null
    period: BudgetPeriod
    cost_usd: number | null
    tokens: number | string | null
    set_at: string
  }
  /** What a session spent in each quarter of an hour, so that days of every time zone can be summed up. */
  session_spending: {
    session_id: SessionId
    quarter: string
    owner_user_id: UserId
    repo_id: RepoId | null
    cost_usd: number
    tokens: number | string
    last_cost_usd: number
    last_tokens: number | string
  }
}
