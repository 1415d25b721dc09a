import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Usage } from '../agent/about.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId } from '../user/id.ts'

const groupOf = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('sessions').select('agent_group_id').where('id', '=', slots.id),
)
const lastOf = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('group_spending').selectAll().where('session_id', '=', slots.id).orderBy('day', 'desc').limit(1),
)

/** Agents report totals; a smaller one means that the agent restarted its count. */
const increase = (now: number, before: number): number => (now >= before ? now - before : now)

/** B6: adds what a session spent since its last report to its agent group's day. The same report twice adds nothing. */
export async function noteSpending(tx: Tx, sessionId: SessionId, usage: Usage, at: string): Promise<void> {
  const agentGroupId = (await groupOf(tx, { id: sessionId }))[0]?.agent_group_id ?? null
  if (agentGroupId === null) return
  const last = (await lastOf(tx, { id: sessionId }))[0]
  const [cost, tokens] = [usage.costUsd ?? last?.last_cost_usd ?? 0, usage.used ?? last?.last_tokens ?? 0]
  if (last?.last_cost_usd === cost && last.last_tokens === tokens) return
  const more = { cost: increase(cost, last?.last_cost_usd ?? 0), tokens: increase(tokens, last?.last_tokens ?? 0) }
  const day = at.slice(0, 10)
  const totals = { last_cost_usd: cost, last_tokens: tokens }
  if (last?.day === day) {
    await tx
      .updateTable('group_spending')
      .set({ ...totals, cost_usd: last.cost_usd + more.cost, tokens: last.tokens + more.tokens })
      .where('session_id', '=', sessionId)
      .where('day', '=', day)
      .execute()
    return
  }
  await tx
    .insertInto('group_spending')
    .values({
      session_id: sessionId,
      agent_group_id: agentGroupId,
      day,
      cost_usd: more.cost,
      tokens: more.tokens,
      ...totals,
    })
    .execute()
}

/** What all sessions of an agent group spent since a day, together. */
export async function spentSince(
  db: Executor,
  id: AgentGroupId,
  day: string | null,
): Promise<{ costUsd: number; tokens: number }> {
  let query = db
    .selectFrom('group_spending')
    .select((eb) => [
      eb.fn.sum<number | string | null>('cost_usd').as('costUsd'),
      eb.fn.sum<number | string | null>('tokens').as('tokens'),
    ])
    .where('agent_group_id', '=', id)
  if (day !== null) query = query.where('day', '>=', day)
  const row = await query.executeTakeFirst()
  return { costUsd: Number(row?.costUsd ?? 0), tokens: Number(row?.tokens ?? 0) }
}
