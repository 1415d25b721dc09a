import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { AgentGroupId } from '../user/id.ts'
import type { AgentGroup, AgentGroupChange } from './schema.ts'
import { insertContainerConfig, updateContainerConfig } from './store-container-config.ts'
import type { AgentGroupTables } from './table.ts'

type Row = Omit<AgentGroupTables['agent_groups'], 'instructions'>

const toGroup = (row: Row): AgentGroup => ({
  id: row.id,
  name: row.name,
  folder: row.folder,
  agentProvider: row.agent_provider,
  repoId: row.repo_id,
  workspaceRoot: row.workspace_root,
  agent: row.agent,
  model: row.model,
  createdAt: row.created_at,
  removedAt: row.removed_at,
})

const byId = prepare<{ id: AgentGroupId }>()((db, slots) =>
  db.selectFrom('agent_groups').selectAll().where('id', '=', slots.id),
)

/** Includes removed groups: sessions still refer to them. */
export async function loadGroup(db: Executor, id: AgentGroupId): Promise<AgentGroup | undefined> {
  const [row] = await byId(db, { id })
  return row && toGroup(row)
}

export async function loadInstructions(db: Executor, id: AgentGroupId): Promise<string> {
  const row = await db.selectFrom('agent_groups').select('instructions').where('id', '=', id).executeTakeFirst()
  return row?.instructions ?? ''
}

/** The oldest first. */
export const listGroups = async (db: Executor): Promise<AgentGroup[]> =>
  (
    await db
      .selectFrom('agent_groups')
      .selectAll()
      .where('removed_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).map(toGroup)

export const allFolders = async (db: Executor): Promise<string[]> =>
  (await db.selectFrom('agent_groups').select('folder').execute()).map(({ folder }) => folder)

const columns = ({ name, agentProvider, repoId, workspaceRoot, agent, model }: Partial<AgentGroup>): Partial<Row> => ({
  ...(name !== undefined && { name }),
  ...(agentProvider !== undefined && { agent_provider: agentProvider }),
  ...(repoId !== undefined && { repo_id: repoId }),
  ...(workspaceRoot !== undefined && { workspace_root: workspaceRoot }),
  ...(agent !== undefined && { agent }),
  ...(model !== undefined && { model }),
})

export async function projectAgentGroup(tx: Tx, change: AgentGroupChange, at: string): Promise<void> {
  const { id } = change.data
  switch (change.type) {
    case 'agent_group.created': {
      const { name, folder, agentProvider, repoId, workspaceRoot, agent, model } = change.body
      await tx
        .insertInto('agent_groups')
        .values({
          id,
          name,
          folder,
          agent_provider: agentProvider,
          repo_id: repoId,
          workspace_root: workspaceRoot,
          agent,
          model,
          created_at: at,
          removed_at: null,
        })
        .execute()
      await insertContainerConfig(tx, id, change.body.config, at)
      return
    }
    case 'agent_group.instructed':
      await tx.updateTable('agent_groups').set({ instructions: change.body.text }).where('id', '=', id).execute()
      return
    case 'agent_group.configured':
      return updateContainerConfig(tx, id, change.body, at)
    case 'agent_group.updated': {
      const values = columns(change.body)
      if (Object.keys(values).length > 0)
        await tx.updateTable('agent_groups').set(values).where('id', '=', id).execute()
      return
    }
    case 'agent_group.removed':
      await tx.updateTable('agent_groups').set({ removed_at: at }).where('id', '=', id).execute()
      return
    default:
      change satisfies never
  }
}
