import type { Executor, Tx } from '../../db/open.ts'
import type { Json } from '../../lib/json.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionStatus } from '../session/status.ts'
import type { AgentChange } from './schema.ts'
import { anyJson, jsonColumn } from '../../lib/parse-json.ts'

export type AgentRow = {
  sessionId: SessionId
  nodeId: string
  offset: number
  about: Json
  state: Json
  held: Json
  stderr: string
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
    }
  )
}

/** Sessions whose agents this node hosts, or hosted when it was last seen. */
export const listHosted = (db: Executor, nodeId: string): Promise<{ id: SessionId; status: SessionStatus }[]> =>
  db
    .selectFrom('agents')
    .innerJoin('sessions', 'sessions.id', 'agents.session_id')
    .select(['sessions.id', 'sessions.status'])
    .where('agents.node_id', '=', nodeId)
    .where('sessions.status', 'in', ['created', 'active', 'paused'])
    .execute()

export async function projectAgent(tx: Tx, change: AgentChange, at: string): Promise<void> {
  const { id } = change.data
  if (change.type === 'agent.hosted') {
    const { nodeId } = change.data
    const fresh = { node_id: nodeId, read_offset: 0, state: '{}', held: '[]', stderr: '', updated_at: at }
    await tx
      .insertInto('agents')
      .values({ session_id: id, about: '{}', ...fresh })
      .onConflict((conflict) => conflict.column('session_id').doUpdateSet(fresh))
      .execute()
    return
  }
  const { offset, about, state, held, stderr } = change.body
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
}
