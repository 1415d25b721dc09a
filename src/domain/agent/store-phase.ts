import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentPhase } from '../session/phase.ts'
import type { SessionStatus } from '../session/status.ts'

export type HostPhase = {
  readonly nodeId: string
  readonly status: SessionStatus
  readonly phase: AgentPhase
  readonly since: string | null
  readonly wakeAt: string | null
  /** Something is queued for the agent. */
  readonly waiting: boolean
}

const waiting = sql<
  number | boolean
>`exists (select 1 from queue_items where queue_items.session_id = sessions.id and queue_items.status = 'waiting')`

export async function loadPhase(db: Executor, id: SessionId): Promise<HostPhase | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('agents', 'agents.session_id', 'sessions.id')
    .select([
      'agents.node_id as nodeId',
      'sessions.status',
      'sessions.agent_phase as phase',
      'sessions.phase_since as since',
      'sessions.wake_at as wakeAt',
      waiting.as('waiting'),
    ])
    .where('sessions.id', '=', id)
    .executeTakeFirst()
  return row && { ...row, waiting: Boolean(row.waiting) }
}

export async function listUnhosted(db: Executor, nodeId: string): Promise<SessionId[]> {
  const first = sql<string>`coalesce((select min(queue_items.created_at) from queue_items
    where queue_items.session_id = sessions.id and queue_items.status = 'waiting'), sessions.phase_since)`
  const since = sql<string>`case when sessions.agent_phase = 'queued' then sessions.phase_since else ${first} end`
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('agents', 'agents.session_id', 'sessions.id')
    .select('sessions.id')
    .where('agents.node_id', '=', nodeId)
    .where(sql<boolean>`sessions.status in ('created', 'active', 'paused') and sessions.protocol_mode = 'acp'`)
    .where(
      sql<boolean>`(sessions.agent_phase in ('queued', 'waking')
        or (sessions.agent_phase = 'asleep' and sessions.status = 'active' and ${waiting}))`,
    )
    .orderBy(since)
    .orderBy('sessions.id')
    .execute()
  return rows.map(({ id }) => id)
}

const enough = 50

export async function listSleepers(db: Executor, nodeId: string, containers: boolean): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('agents', 'agents.session_id', 'sessions.id')
    .select('sessions.id')
    .where('agents.node_id', '=', nodeId)
    .where(sql<boolean>`sessions.status = 'active' and sessions.protocol_mode = 'acp'`)
    .where('sessions.agent_phase', '=', 'awake')
    .where(containers ? sql<boolean>`sessions.isolation = 'container'` : sql<boolean>`1 = 1`)
    .where(
      sql<boolean>`not exists (select 1 from asks where asks.session_id = sessions.id and asks.status = 'open')
        and not exists (select 1 from queue_items
          where queue_items.session_id = sessions.id and queue_items.status in ('waiting', 'sent'))`,
    )
    .orderBy('sessions.last_activity_at')
    .orderBy('sessions.id')
    .limit(enough)
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether the agent ever got a prompt: an agent may not have kept a conversation that never began. */
export async function wasPrompted(db: Executor, id: SessionId): Promise<boolean> {
  const row = await db
    .selectFrom('queue_items')
    .select('id')
    .where('session_id', '=', id)
    .where('status', 'in', ['sent', 'delivered'])
    .executeTakeFirst()
  return row !== undefined
}
