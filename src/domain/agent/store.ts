import type { Executor, Tx } from '../../db/open.ts'
import type { Json } from '../../lib/json.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AgentPhase } from '../session/phase.ts'
import type { AgentChange } from './schema.ts'
import { noteSpending } from '../agent-group/store-spending.ts'
import { noteSessionSpending } from '../budget/store.ts'
import { noteCost } from '../session/store-overview.ts'
import { beginLife, endLife } from './store-lives.ts'
import { anyJson, isRecord, jsonColumn } from '../../lib/parse-json.ts'
import type { Usage } from './about.ts'

export type AgentRow = {
  sessionId: SessionId
  nodeId: string
  offset: number
  about: Json
  state: Json
  held: Json
  stderr: string
  crashes: number
  crashedAt: string | null
}

/** The edge that writes these columns validates them with its own schemas. */
const aboutColumn = jsonColumn('agents.about', anyJson)
const stateColumn = jsonColumn('agents.state', anyJson)
const heldColumn = jsonColumn('agents.held', anyJson)

export async function loadAgent(db: Executor, id: SessionId): Promise<AgentRow | undefined> {
  const row = await db.selectFrom('agents').selectAll().where('session_id', '=', id).executeTakeFirst()
  return (
    row && {
      sessionId: row.session_id,
      nodeId: row.node_id,
      offset: row.read_offset,
      about: aboutColumn(row.about),
      state: stateColumn(row.state),
      held: heldColumn(row.held),
      stderr: row.stderr,
      crashes: row.crashes,
      crashedAt: row.crashed_at,
    }
  )
}

/** Sessions whose agents this node hosts, or hosted when it was last seen. */
export const listHosted = (
  db: Executor,
  nodeId: string,
): Promise<{ id: SessionId; status: SessionStatus; phase: AgentPhase; since: string | null }[]> =>
  db
    .selectFrom('agents')
    .innerJoin('sessions', 'sessions.id', 'agents.session_id')
    .select(['sessions.id', 'sessions.status', 'sessions.agent_phase as phase', 'sessions.phase_since as since'])
    .where('agents.node_id', '=', nodeId)
    .where('sessions.status', 'in', ['created', 'active', 'paused'])
    .execute()

export async function projectAgent(tx: Tx, change: AgentChange, at: string): Promise<void> {
  const { id } = change.data
  if (change.type === 'agent.hosted') {
    const { nodeId, childId } = change.data
    const { about = {}, state = {} } = change.body ?? {}
    const fresh = {
      node_id: nodeId,
      read_offset: 0,
      state: JSON.stringify(state),
      held: '[]',
      stderr: '',
      updated_at: at,
    }
    await tx
      .insertInto('agents')
      .values({ session_id: id, about: JSON.stringify(about), crashes: 0, crashed_at: null, ...fresh })
      .onConflict((conflict) => conflict.column('session_id').doUpdateSet(fresh))
      .execute()
    if (childId !== null) await beginLife(tx, id, childId, at)
    return
  }
  if (change.type === 'agent.crashed') {
    await tx
      .updateTable('agents')
      .set({ crashes: change.data.crashes, crashed_at: at })
      .where('session_id', '=', id)
      .execute()
    return
  }
  const { offset, about, state, held, stderr, ended } = change.body
  if (ended) await endLife(tx, ended, stderr ?? '', at)
  await tx
    .updateTable('agents')
    .set({
      read_offset: offset,
      updated_at: at,
      ...(about !== undefined && { about: JSON.stringify(about) }),
      ...(state !== undefined && { state: JSON.stringify(state) }),
      ...(held !== undefined && { held: JSON.stringify(held) }),
      ...(stderr !== undefined && { stderr }),
    })
    .where('session_id', '=', id)
    .execute()
  const usage = isRecord(state) ? state['usage'] : null
  if (!isRecord(usage)) return
  await noteSpending(tx, id, usage as Usage, at)
  await noteSessionSpending(tx, id, usage as Usage, at)
  await noteCost(tx, id, (usage as Usage).costUsd, at)
}
