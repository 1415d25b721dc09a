import type { Executor, Tx } from '../../db/open.ts'
import type { QueueItemId } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId } from '../user/id.ts'

/** A message from agent to agent. */
export type AgentMessage = {
  readonly id: QueueItemId
  readonly fromSessionId: SessionId
  readonly fromGroupId: AgentGroupId
  readonly toGroupId: AgentGroupId
  readonly toSessionId: SessionId | null
  readonly hops: number
  readonly deliveredAt: string | null
}

const columns = [
  'id',
  'from_session_id as fromSessionId',
  'from_group_id as fromGroupId',
  'to_group_id as toGroupId',
  'to_session_id as toSessionId',
  'hops',
  'delivered_at as deliveredAt',
] as const

export const loadAgentMessage = (db: Executor, id: QueueItemId): Promise<AgentMessage | undefined> =>
  db.selectFrom('agent_messages').select(columns).where('id', '=', id).executeTakeFirst()

export async function insertAgentMessage(tx: Tx, message: AgentMessage, at: string): Promise<void> {
  await tx
    .insertInto('agent_messages')
    .values({
      id: message.id,
      from_session_id: message.fromSessionId,
      from_group_id: message.fromGroupId,
      to_group_id: message.toGroupId,
      to_session_id: message.toSessionId,
      hops: message.hops,
      created_at: at,
      delivered_at: message.deliveredAt,
    })
    .execute()
}

export async function setAgentMessage(
  db: Executor,
  id: QueueItemId,
  to: { to_session_id: SessionId } | { delivered_at: string },
): Promise<void> {
  await db.updateTable('agent_messages').set(to).where('id', '=', id).execute()
}

/** It reached nobody, so it does not count. */
export async function dropAgentMessage(db: Executor, id: QueueItemId): Promise<void> {
  await db.deleteFrom('agent_messages').where('id', '=', id).where('delivered_at', 'is', null).execute()
}

/** When messages between two agent groups were sent since then, in either direction, oldest first. */
export async function sentBetween(db: Executor, a: AgentGroupId, b: AgentGroupId, since: string): Promise<string[]> {
  const rows = await db
    .selectFrom('agent_messages')
    .select('created_at')
    .where((eb) =>
      eb.or([
        eb.and([eb('from_group_id', '=', a), eb('to_group_id', '=', b)]),
        eb.and([eb('from_group_id', '=', b), eb('to_group_id', '=', a)]),
      ]),
    )
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => row.created_at)
}

/** The last message of an agent that reached a session; only those of one agent group, if given. */
export function lastAgentMessageTo(
  db: Executor,
  id: SessionId,
  from?: AgentGroupId,
): Promise<AgentMessage | undefined> {
  let query = db.selectFrom('agent_messages').select(columns).where('to_session_id', '=', id)
  if (from !== undefined) query = query.where('from_group_id', '=', from)
  return query.orderBy('created_at', 'desc').orderBy('hops', 'desc').limit(1).executeTakeFirst()
}

/**
 * How many agents passed on what a session works on. It starts again when a person writes to it. The prompt of a session
 * that a message started is written before `delivered_at`, so it does not count as a person's.
 */
export async function hopsOf(db: Executor, id: SessionId): Promise<number> {
  const last = await lastAgentMessageTo(db, id)
  if (!last || last.deliveredAt === null) return last?.hops ?? 0
  const fromPerson = await db
    .selectFrom('queue_items')
    .select('id')
    .where('session_id', '=', id)
    .where('added_by', 'like', 'user:%')
    .where('created_at', '>', last.deliveredAt)
    .limit(1)
    .executeTakeFirst()
  return fromPerson ? 0 : last.hops
}
