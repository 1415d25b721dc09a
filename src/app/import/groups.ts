import { statSync } from 'node:fs'
import { join } from 'node:path'
import { freeLocalName } from '../../domain/chat/local-name.ts'
import { allFolders, loadGroup } from '../../domain/agent-group/store.ts'
import { insertContainerConfig } from '../../domain/agent-group/store-container-config.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { configOf } from './container-config.ts'
import { idFor, timeOr } from './convert.ts'
import type { Work } from './work.ts'

/** Agent groups, each with its container config. */
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
    await tx
      .insertInto('agent_groups')
      .values({
        id,
        name: name.trim().slice(0, 200) || folder,
        folder,
        agent_provider,
        repo_id: null,
        workspace_root: isDirectory(join(groupsDir, wanted)) ? join(groupsDir, wanted) : null,
        agent: null,
        model: null,
        created_at: timeOr(created_at, now),
        removed_at: null,
      })
      .execute()
    const config = configs.get(seedId)
    const { given, changed } = config ? configOf(config) : { given: {}, changed: [] }
    await insertContainerConfig(tx, id, given, timeOr(config?.updated_at ?? created_at, now))
    for (const reason of changed) tally.changed('container_configs', seedId, reason)
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** The rows went to the groups they belong to. */
export function countConfigs({ seed, tally, groups, newGroups }: Work): void {
  for (const { agent_group_id: id } of seed.container_configs) {
    const groupId = groups.get(id)
    if (groupId) tally.imported('container_configs', newGroups.has(groupId))
    else tally.leftOut('container_configs', id, 'its agent group is not in the file, or was left out')
  }
}
