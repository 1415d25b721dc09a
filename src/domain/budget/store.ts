import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Usage } from '../agent/about.ts'
import type { SessionId } from '../session/id.ts'
import type { Spending } from './budget.ts'
import type { Budget, BudgetChange, BudgetId } from './schema.ts'
import type { BudgetTables } from './table.ts'

const toBudget = (row: BudgetTables['budgets']): Budget => ({
  id: row.id,
  scope: row.scope,
  repoId: row.repo_id,
  userId: row.user_id,
  period: row.period,
  costUsd: row.cost_usd,
  tokens: row.tokens === null ? null : Number(row.tokens),
})

const everyBudget = prepare<Record<string, never>>()((db) =>
  db.selectFrom('budgets').selectAll().orderBy('set_at').orderBy('id'),
)

export const listBudgets = async (db: Executor): Promise<Budget[]> => (await everyBudget(db, {})).map(toBudget)

export async function loadBudget(db: Executor, id: BudgetId): Promise<Budget | undefined> {
  const row = await db.selectFrom('budgets').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toBudget(row)
}

export async function projectBudget(tx: Tx, change: BudgetChange, at: string): Promise<void> {
  switch (change.type) {
    case 'budget.set': {
      const { id, scope, repoId, userId, period, costUsd, tokens } = change.data
      const limits = { cost_usd: costUsd, tokens, set_at: at }
      await tx
        .insertInto('budgets')
        .values({ id, scope, repo_id: repoId, user_id: userId, period, ...limits })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(limits))
        .execute()
      return
    }
    case 'budget.removed':
      await tx.deleteFrom('budgets').where('id', '=', change.data.id).execute()
      return
    default:
      change satisfies never
  }
}

const sessionOf = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('sessions').select(['owner_user_id', 'repo_id']).where('id', '=', slots.id),
)
const lastOf = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('session_spending').selectAll().where('session_id', '=', slots.id).orderBy('quarter', 'desc').limit(1),
)

/** Agents report totals; a smaller one means that the agent restarted its count. */
const increase = (now: number, before: number): number => (now >= before ? now - before : now)

/** The beginning of the quarter of an hour; every time zone is whole quarters from UTC. */
export const quarterOf = (at: string): string =>
  `${at.slice(0, 14)}${String(Math.floor(Number(at.slice(14, 16)) / 15) * 15).padStart(2, '0')}:00.000Z`

/** B6: adds what a session spent since its last report. The same report twice adds nothing. */
export async function noteSessionSpending(tx: Tx, id: SessionId, usage: Usage, at: string): Promise<void> {
  const last = (await lastOf(tx, { id }))[0]
  const before = { cost: last?.last_cost_usd ?? 0, tokens: Number(last?.last_tokens ?? 0) }
  const [cost, tokens] = [usage.costUsd ?? before.cost, usage.used ?? before.tokens]
  if (cost === before.cost && tokens === before.tokens) return
  const more = { cost: increase(cost, before.cost), tokens: increase(tokens, before.tokens) }
  const quarter = quarterOf(at)
  const totals = { last_cost_usd: cost, last_tokens: tokens }
  if (last?.quarter === quarter) {
    await tx
      .updateTable('session_spending')
      .set({ ...totals, cost_usd: last.cost_usd + more.cost, tokens: Number(last.tokens) + more.tokens })
      .where('session_id', '=', id)
      .where('quarter', '=', quarter)
      .execute()
    return
  }
  const session = (await sessionOf(tx, { id }))[0]
  if (!session) return
  await tx
    .insertInto('session_spending')
    .values({ session_id: id, quarter, ...session, cost_usd: more.cost, tokens: more.tokens, ...totals })
    .execute()
}

/** What all sessions that a budget is for spent since then, together. */
export async function spendingSince(
  db: Executor,
  { scope, repoId, userId }: Pick<Budget, 'scope' | 'repoId' | 'userId'>,
  since: string,
): Promise<Spending> {
  let query = db
    .selectFrom('session_spending')
    .select((eb) => [
      eb.fn.sum<number | string | null>('cost_usd').as('costUsd'),
      eb.fn.sum<number | string | null>('tokens').as('tokens'),
    ])
    .where('quarter', '>=', since)
  if (scope === 'repo') query = query.where('repo_id', '=', repoId)
  if (scope === 'person') query = query.where('owner_user_id', '=', userId)
  const row = await query.executeTakeFirst()
  return { costUsd: Number(row?.costUsd ?? 0), tokens: Number(row?.tokens ?? 0) }
}

/** Sessions that are paused, with the reason. */
export async function pausedSessions(db: Executor) {
  return db
    .selectFrom('sessions')
    .select(['id', 'metadata', 'repo_id', 'owner_user_id'])
    .where('status', '=', 'paused')
    .execute()
}
