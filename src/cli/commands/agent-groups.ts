import { resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import type { GroupDependents } from '../../client/contract/agent-groups.ts'
import type { GroupMember } from '../../client/contract/chats.ts'
import type { AgentGroup } from '../../domain/agent-group/schema.ts'
import { renderFields, type Column } from '../columns.ts'
import type { FlagValues, Handler } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { findGroup, findPerson, findRepo } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import { programName } from '../program-name.ts'
import type { createGroupFlags, removeGroupFlags, updateGroupFlags } from '../table/groups.ts'
import { relativeTime } from '../times.ts'

/** Names by id. */
export async function namesOfGroups(client: Client): Promise<ReadonlyMap<string, string>> {
  return new Map((await client.listAgentGroups({})).agentGroups.map(({ id, name }) => [id, name]))
}

async function namesOfRepos(client: Client): Promise<ReadonlyMap<string, string>> {
  return new Map((await client.listRepos({})).repos.map(({ id, name }) => [id, name]))
}

const placeOf = ({ repoId, workspaceRoot }: AgentGroup, repos: ReadonlyMap<string, string>): string =>
  repoId === null ? (workspaceRoot ?? 'its folder') : (repos.get(repoId) ?? shortId(repoId))

export const listGroups: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const [groups, repos] = await Promise.all([
    client.listAgentGroups({}).then(({ agentGroups }) => agentGroups),
    namesOfRepos(client),
  ])
  printResult(context, groups, () => {
    const short = shortener(groups.map(({ id }) => id))
    const columns: Column<AgentGroup>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'NAME', cell: ({ name }) => name, shrinks: true },
      { title: 'AGENT', cell: ({ agent }) => agent ?? 'default' },
      { title: 'WORKS IN', cell: (group) => placeOf(group, repos), shrinks: true },
      { title: 'CREATED', cell: ({ createdAt }) => relativeTime(createdAt, context.now()) },
    ]
    return tableOr(context, groups, columns, `No agent groups. Create one with: ${programName()} groups create NAME`)
  })
}

async function show(context: Context, client: Client, group: AgentGroup): Promise<void> {
  const repos = context.json ? new Map<string, string>() : await namesOfRepos(client)
  printResult(context, group, (one) =>
    renderFields(
      [
        ['Agent group', one.id],
        ['Name', one.name],
        ['Folder', one.folder],
        ['Agent', one.agent ?? 'default'],
        ['Model', one.model],
        ['Provider', one.agentProvider],
        ['Works in', placeOf(one, repos)],
        ['Created', relativeTime(one.createdAt, context.now())],
      ],
      context.out,
    ),
  )
}

export const showGroup: Handler = async ({ args: [group = ''] }, context) => {
  const { client } = await context.api()
  const found = await client.getAgentGroup({ params: { id: await findGroup(client, group) } })
  await show(context, client, found)
  if (!context.json) context.out.note(`How it runs: ${programName()} groups config ${found.folder}`)
}

async function settingsOf(
  client: Client,
  flags: Pick<FlagValues<typeof updateGroupFlags>, 'agent' | 'model' | 'repo' | 'workspace' | 'provider'>,
  context: Context,
) {
  const { agent, model, repo, workspace, provider } = flags
  if (repo !== undefined && workspace !== undefined) throw wrongUsage('Use either --repo or --workspace.')
  return {
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { agentProvider: provider }),
    // It works in one place: the other one goes.
    ...(repo !== undefined && { repoId: await findRepo(client, repo), workspaceRoot: null }),
    ...(workspace !== undefined && {
      workspaceRoot: context.url === undefined ? resolve(workspace) : workspace,
      repoId: null,
    }),
  }
}

export const createGroup: Handler<typeof createGroupFlags> = async ({ args: [name = ''], flags }, context) => {
  const { client } = await context.api()
  const body = {
    name,
    ...(await settingsOf(client, flags, context)),
    ...(flags.folder !== undefined && { folder: flags.folder }),
    ...(flags.isolation !== undefined && {
      config: {
        isolation: flags.isolation === 'default' ? null : (flags.isolation as 'none' | 'sandbox' | 'container'),
      },
    }),
  }
  const group = await client.createAgentGroup({ body })
  printResult(context, group, ({ id }) => `Agent group ${group.name} is created as ${shortId(id)}.`)
  if (context.json) return
  const chats = (await client.listChats({})).chats
  context.out.note(
    chats.some(({ isGroup }) => isGroup)
      ? `Let it listen in a chat with: ${programName()} chats wire CHAT ${JSON.stringify(group.name)}`
      : `Talk to it in the dashboard, under Chat. To talk to it in Slack: ${programName()} chat add slack`,
  )
}

export const updateGroup: Handler<typeof updateGroupFlags> = async ({ args: [group = ''], flags }, context) => {
  const { client } = await context.api()
  const body = {
    ...(await settingsOf(client, flags, context)),
    ...(flags.name !== undefined && { name: flags.name }),
  }
  if (Object.keys(body).length === 0) throw wrongUsage('Nothing to change.', 'Use one of the options.')
  const id = await findGroup(client, group)
  await show(context, client, await client.updateAgentGroup({ params: { id }, body }))
}

/** What a removal takes along, in words. */
const dependentsText = ({ wirings, destinations, members, sessions }: GroupDependents): string =>
  [
    ...(wirings === 0 ? [] : [count(wirings, 'wiring')]),
    ...(destinations === 0 ? [] : [count(destinations, 'destination')]),
    ...(members === 0 ? [] : [count(members, 'member')]),
    ...(sessions === 0 ? [] : [`${count(sessions, 'session')} that ${sessions === 1 ? 'has' : 'have'} not ended`]),
  ].join(', ')

export const removeGroup: Handler<typeof removeGroupFlags> = async ({ args: [group = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findGroup(client, group)
  const looked = client.groupDependents({ params: { id } })
  // Whether it may be removed is for the removal to say.
  const found = await (flags.yes ? looked.catch(() => null) : looked)
  const hangs = found ? dependentsText(found) : ''
  if (!flags.yes && hangs !== '') {
    context.out.note(`${group} is in use: ${hangs}. Wirings and destinations are removed with it.`)
    await confirmed(context, `Remove ${group}?`, `${programName()} groups remove ${shortId(id)} --yes`)
  }
  printResult(context, await client.removeAgentGroup({ params: { id } }), () =>
    [`Agent group ${shortId(id)} was removed.`, ...(found?.folder ? [`Its folder stays: ${found.folder}`] : [])].join(
      '\n',
    ),
  )
}

export const listMembers: Handler = async ({ args: [group = ''] }, context) => {
  const { client } = await context.api()
  const members = (await client.listMembers({ params: { id: await findGroup(client, group) } })).members
  const names = await namesOfPeople(client)
  printResult(context, members, () => {
    const short = shortener(members.map(({ userId }) => userId))
    const columns: Column<GroupMember>[] = [
      { title: 'ID', cell: ({ userId }) => short(userId) },
      { title: 'NAME', cell: ({ displayName }) => displayName, shrinks: true },
      { title: 'ROLE', cell: ({ role }) => role },
      { title: 'ADDED BY', cell: ({ addedBy }) => (addedBy === null ? '' : (names.get(addedBy) ?? shortId(addedBy))) },
      { title: 'ADDED', cell: ({ addedAt }) => relativeTime(addedAt, context.now()) },
    ]
    return tableOr(context, members, columns, 'No members. Owners and admins can always write to it.')
  })
}

export const addMember: Handler = async ({ args: [group = '', user = ''] }, context) => {
  const { client } = await context.api()
  const params = { groupId: await findGroup(client, group), userId: await findPerson(client, user) }
  printResult(
    context,
    await client.addMember({ params }),
    ({ displayName }) => `${displayName} can write to ${group} now.`,
  )
}

export const removeMember: Handler = async ({ args: [group = '', user = ''] }, context) => {
  const { client } = await context.api()
  const params = { groupId: await findGroup(client, group), userId: await findPerson(client, user) }
  printResult(
    context,
    await client.removeMember({ params }),
    ({ displayName }) => `${displayName} is no longer a member of ${group}.`,
  )
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
