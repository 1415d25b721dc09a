import { statSync } from 'node:fs'
import { join } from 'node:path'
import { freeLocalName } from '../../domain/chat/local-name.ts'
import { allFolders, loadGroup } from '../../domain/agent-group/store.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { idFor, timeOr } from './convert.ts'
import type { Work } from './work.ts'

/** Agent groups, with what their container configs say about the agent. */
export async function importGroups({ tx, seed, tally, now, groupsDir, groups, newGroups }: Work): Promise<void> {
  const configs = new Map(seed.container_configs.map((config) => [config.agent_group_id, config]))
  for (const { id: seedId, name, folder: wanted, agent_provider, created_at } of seed.agent_groups) {
    const id = idFor<AgentGroupId>('agent_groups', seedId)
    const known = await loadGroup(tx, id)
    if (known?.removedAt) {
      tally.leftOut('agent_groups', seedId, 'it was imported before, then removed here')
      continue
    }
    groups.set(seedId, id)
    tally.imported('agent_groups', !known)
    if (known) continue
    newGroups.add(id)
    const folders = await allFolders(tx)
    const folder = folders.includes(wanted) ? freeLocalName([wanted], folders) : wanted
    if (folder !== wanted) tally.changed('agent_groups', seedId, `the folder ${wanted} is taken; it has ${folder}`)
    const config = configs.get(seedId)
    await tx
      .insertInto('agent_groups')
      .values({
        id,
        name: name.trim().slice(0, 200) || folder,
        folder,
        agent_provider: config?.provider ?? agent_provider,
        repo_id: null,
        workspace_root: isDirectory(join(groupsDir, wanted)) ? join(groupsDir, wanted) : null,
        agent: null,
        model: config?.model ?? null,
        created_at: timeOr(created_at, now),
        removed_at: null,
      })
      .execute()
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const kept = ['agent_group_id', 'provider', 'model', 'updated_at']
/** What a column holds if nobody changed it. */
const usual: Readonly<Record<string, string>> = {
  skills: '"all"',
  mcp_servers: '{}',
  packages_apt: '[]',
  packages_npm: '[]',
  additional_mounts: '[]',
  cli_scope: 'group',
}

/** The provider and the model went to the agent group; there is no place for the rest. */
export function importConfigs({ seed, tally, groups, newGroups }: Work): void {
  for (const config of seed.container_configs) {
    const id = config.agent_group_id
    const groupId = groups.get(id)
    if (!groupId) {
      tally.leftOut('container_configs', id, 'its agent group is not in the file, or was left out')
      continue
    }
    const lost = Object.entries(config).filter(
      ([column, value]) => !kept.includes(column) && value !== null && value !== usual[column],
    )
    tally.imported('container_configs', newGroups.has(groupId))
    if (lost.length > 0)
      tally.changed('container_configs', id, `not imported: ${lost.map(([column]) => column).join(', ')}`)
  }
}
