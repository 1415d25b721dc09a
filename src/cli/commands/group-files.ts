import { readFile, writeFile } from 'node:fs/promises'
import * as z from 'zod'
import type { Client } from '../../client/client.ts'
import type { AgentGroup } from '../../domain/agent-group/schema.ts'
import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { findGroup, findRepo } from '../find-by-id.ts'
import {
  changesTo,
  readGroupFile,
  writeGroupFile,
  type FieldDifference,
  type GroupChanges,
  type KnownGroup,
} from '../group-file.ts'
import { printResult } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { readAll } from '../read-all.ts'
import type { exportFlags, importGroupFlags } from '../table/groups.ts'

async function knownGroup(client: Client, group: AgentGroup): Promise<KnownGroup> {
  const params = { id: group.id }
  const {
    agentGroupId: _id,
    vouchedServers: _vouched,
    updatedAt: _at,
    ...config
  } = await client.getGroupConfig({ params })
  const { text } = await client.getGroupInstructions({ params })
  const repos = group.repoId === null ? [] : (await client.listRepos({})).repos
  return {
    name: group.name,
    folder: group.folder,
    agent: group.agent,
    provider: group.agentProvider,
    model: group.model,
    repo: repos.find(({ id }) => id === group.repoId)?.name ?? null,
    workspace: group.workspaceRoot,
    instructions: text,
    config,
  }
}

export const exportGroup: Handler<typeof exportFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const group = await client.getAgentGroup({ params: { id: await findGroup(client, text) } })
  const isJson = context.json || flags.format === 'json' || flags.output?.endsWith('.json') === true
  const content = writeGroupFile(await knownGroup(client, group), isJson ? 'json' : 'toml')
  if (flags.output === undefined) return context.out.print(content.trimEnd())
  await writeFile(flags.output, content)
  context.out.note(`Written to ${flags.output}.`)
}

/** Repos are named in the file; the API wants their ids. */
async function bodyOf(client: Client, { group }: GroupChanges) {
  const { repo, workspace, provider, ...rest } = group
  return {
    ...rest,
    ...(provider !== undefined && { agentProvider: provider }),
    ...(workspace !== undefined && { workspaceRoot: workspace }),
    ...(repo !== undefined && { repoId: repo === null ? null : await findRepo(client, repo) }),
  }
}

async function apply(client: Client, folder: string, group: AgentGroup | undefined, changes: GroupChanges) {
  const { name, ...rest } = await bodyOf(client, changes)
  const { config, instructions } = changes
  if (!group) {
    const made = await client.createAgentGroup({ body: { name: name ?? folder, folder, ...rest, config } })
    if (instructions !== null)
      await client.setGroupInstructions({ params: { id: made.id }, body: { text: instructions } })
    return
  }
  const params = { id: group.id }
  const body = { ...(name !== undefined && { name }), ...rest }
  if (Object.keys(body).length > 0) await client.updateAgentGroup({ params, body })
  if (Object.keys(config).length > 0) await client.updateGroupConfig({ params, body: config })
  if (instructions !== null) await client.setGroupInstructions({ params, body: { text: instructions } })
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
const lineOf = ({ field, from, to }: FieldDifference): string => `  ${field}: ${shown(from)} → ${shown(to)}`

export const importGroup: Handler<typeof importGroupFlags> = async ({ args: [file = ''], flags }, context) => {
  const wanted = await readFileOf(file)
  const { client } = await context.api()
  const group = (await client.listAgentGroups({})).agentGroups.find(({ folder }) => folder === wanted.folder)
  const changes = changesTo(group ? await knownGroup(client, group) : null, wanted)
  const dryRun = flags['dry-run']
  const outcome = group ? (changes.differences.length === 0 ? 'unchanged' : 'changed') : 'created'
  if (!dryRun && outcome !== 'unchanged') await apply(client, wanted.folder, group, changes)
  const { differences, missing } = changes
  printResult(context, { outcome, dryRun, differences, missing }, () =>
    [
      outcome === 'unchanged'
        ? `${wanted.name} already matches the file.`
        : `${wanted.name} ${dryRun ? 'would be' : 'was'} ${outcome}:`,
      ...differences.map(lineOf),
      ...missing.map(
        (one) => `  ${one} has no value. Set it: ${programName()} groups config ${wanted.folder} --set mcpServers=…`,
      ),
      ...(dryRun ? ['Nothing was changed.'] : []),
    ].join('\n'),
  )
}

async function readFileOf(file: string) {
  const content = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8')
  try {
    const read = readGroupFile(content)
    if (read.success) return read.data
    throw invalid(file, z.prettifyError(read.error))
  } catch (error) {
    throw error instanceof Failure ? error : invalid(file, error instanceof Error ? error.message : String(error))
  }
}

const invalid = (file: string, why: string): Failure =>
  new Failure({
    exit: exit.usage,
    code: 'invalid_file',
    message: `${file} is not an agent group:\n${why}`,
    hint: `See a valid one: ${programName()} groups export GROUP`,
  })
