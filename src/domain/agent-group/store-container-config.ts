import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import { isList, isListOf, isRecord, isTextList, jsonColumn } from '../../lib/parse-json.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId } from '../user/id.ts'
import {
  defaultContainerConfig,
  type CliScope,
  type ContainerConfig,
  type ContainerLimits,
  type GroupBudget,
  type GroupMcpServer,
  type GroupMount,
} from './container-config.ts'
import type { ConfigBody } from './schema.ts'
import type { AgentGroupTables } from './table.ts'

type Row = AgentGroupTables['container_configs']

const skills = jsonColumn('skills', (value): value is 'all' | string[] => value === 'all' || isTextList(value))
const servers = jsonColumn('mcp_servers', (value): value is Record<string, GroupMcpServer> => isRecord(value))
const mounts = jsonColumn(
  'additional_mounts',
  isListOf((value): value is GroupMount => isRecord(value) && typeof value['hostPath'] === 'string'),
)
const words = jsonColumn('a list of names', isTextList)
const limits = jsonColumn('limits', (value): value is Partial<ContainerLimits> => isRecord(value))
const budget = jsonColumn('budget', (value): value is GroupBudget => isRecord(value) && !isList(value))

const toConfig = (row: Row): ContainerConfig => ({
  agentGroupId: row.agent_group_id,
  provider: row.provider,
  model: row.model,
  effort: row.effort,
  imageTag: row.image_tag,
  assistantName: row.assistant_name,
  maxMessagesPerPrompt: row.max_messages_per_prompt,
  skills: skills(row.skills),
  mcpServers: servers(row.mcp_servers),
  packagesApt: words(row.packages_apt),
  packagesNpm: words(row.packages_npm),
  additionalMounts: mounts(row.additional_mounts),
  cliScope: row.cli_scope,
  isolation: row.isolation,
  limits: { ...defaultContainerConfig.limits, ...limits(row.limits) },
  networkHosts: words(row.network_hosts),
  providers: words(row.providers),
  budget: row.budget === null ? null : budget(row.budget),
  vouchedServers: words(row.vouched_servers),
  updatedAt: row.updated_at,
})

const json = (value: unknown): string => JSON.stringify(value)

/** Only the given fields. */
const columns = (given: ConfigBody): Partial<Row> => ({
  ...(given.provider !== undefined && { provider: given.provider }),
  ...(given.model !== undefined && { model: given.model }),
  ...(given.effort !== undefined && { effort: given.effort }),
  ...(given.imageTag !== undefined && { image_tag: given.imageTag }),
  ...(given.assistantName !== undefined && { assistant_name: given.assistantName }),
  ...(given.maxMessagesPerPrompt !== undefined && { max_messages_per_prompt: given.maxMessagesPerPrompt }),
  ...(given.skills !== undefined && { skills: json(given.skills) }),
  ...(given.mcpServers !== undefined && { mcp_servers: json(given.mcpServers) }),
  ...(given.vouchedServers !== undefined && { vouched_servers: json(given.vouchedServers) }),
  ...(given.packagesApt !== undefined && { packages_apt: json(given.packagesApt) }),
  ...(given.packagesNpm !== undefined && { packages_npm: json(given.packagesNpm) }),
  ...(given.additionalMounts !== undefined && { additional_mounts: json(given.additionalMounts) }),
  ...(given.cliScope !== undefined && { cli_scope: given.cliScope }),
  ...(given.isolation !== undefined && { isolation: given.isolation }),
  ...(given.limits !== undefined && { limits: json(given.limits) }),
  ...(given.networkHosts !== undefined && { network_hosts: json(given.networkHosts) }),
  ...(given.providers !== undefined && { providers: json(given.providers) }),
  ...(given.budget !== undefined && { budget: given.budget === null ? null : json(given.budget) }),
})

const ofGroup = prepare<{ id: AgentGroupId }>()((db, slots) =>
  db.selectFrom('container_configs').selectAll().where('agent_group_id', '=', slots.id),
)

/** Every group has one; undefined means that there is no such group. */
export async function loadContainerConfig(db: Executor, id: AgentGroupId): Promise<ContainerConfig | undefined> {
  const [row] = await ofGroup(db, { id })
  return row && toConfig(row)
}

export async function insertContainerConfig(tx: Tx, id: AgentGroupId, given: ConfigBody, at: string): Promise<void> {
  await tx
    .insertInto('container_configs')
    .values({ ...(columns({ ...defaultContainerConfig, ...given }) as Row), agent_group_id: id, updated_at: at })
    .execute()
}

export async function updateContainerConfig(tx: Tx, id: AgentGroupId, given: ConfigBody, at: string): Promise<void> {
  await tx
    .updateTable('container_configs')
    .set({ ...columns(given), updated_at: at })
    .where('agent_group_id', '=', id)
    .execute()
}

const scopeOfSession = prepare<{ id: SessionId }>()((db, slots) =>
  db
    .selectFrom('sessions')
    .innerJoin('agent_groups', 'agent_groups.id', 'sessions.agent_group_id')
    .leftJoin('container_configs', 'container_configs.agent_group_id', 'agent_groups.id')
    .select(['agent_groups.id as agentGroupId', 'agent_groups.removed_at as removedAt', 'cli_scope as scope'])
    .where('sessions.id', '=', slots.id),
)

/** How far the agent of a session may use the API; null if it has no agent group. Unknown means not at all. */
export async function cliScopeOfSession(
  db: Executor,
  id: SessionId,
): Promise<{ scope: CliScope; agentGroupId: AgentGroupId } | null> {
  const [row] = await scopeOfSession(db, { id })
  if (!row) return null
  return { scope: row.removedAt === null ? (row.scope ?? 'disabled') : 'disabled', agentGroupId: row.agentGroupId }
}
