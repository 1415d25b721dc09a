import { programName } from '../program-name.ts'
import { resolve } from 'node:path'
import type { Repo } from '../../domain/workspace/schema.ts'
import type { Handler } from '../command.ts'
import type { Column } from '../columns.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { findRepo, findUser } from '../find-by-id.ts'
import { isWholeId, shortId, shortener } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { addRepoFlags, repoAccessFlags } from '../table/records.ts'
import { relativeTime } from '../times.ts'

function repoTable(context: Context, repos: readonly Repo[], none: string, names: ReadonlyMap<string, string>): string {
  const short = shortener(repos.map(({ id }) => id))
  const columns: Column<Repo>[] = [
    { title: 'ID', cell: ({ id }) => short(id) },
    { title: 'NAME', cell: ({ name }) => name, shrinks: true },
    { title: 'PATH', cell: ({ path }) => path, shrinks: true },
    { title: 'FOR', cell: (repo) => accessWords(repo, names), shrinks: true },
    { title: 'ADDED', cell: ({ createdAt }) => relativeTime(createdAt, context.now()) },
  ]
  return tableOr(context, repos, columns, none)
}

export const listRepos: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const none = `No repos. Add one with: ${programName()} repos add PATH`
  const names = await namesOfPeople(client)
  printResult(context, (await client.listRepos({})).repos, (repos) => repoTable(context, repos, none, names))
}

export const addRepo: Handler<typeof addRepoFlags> = async ({ args: [path = ''], flags }, context) => {
  const { client } = await context.api()
  // Only the remote machine can resolve a relative path.
  const absolute = context.url === undefined ? resolve(path) : path
  const body = { path: absolute, ...(flags.name !== undefined && { name: flags.name }) }
  printResult(
    context,
    await client.registerRepo({ body }),
    ({ name, id }) => `Repo ${name} is registered as ${shortId(id)}.`,
  )
}

export const scanRepos: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const found = await client.scanRepos({})
  printResult(context, found, ({ registered, known }) => {
    const rest = `${known} ${known === 1 ? 'was' : 'were'} already known.`
    return registered.length === 0
      ? `Nothing new; ${rest}`
      : `${repoTable(context, registered, '', new Map())}\n\n${rest}`
  })
}

const accessWords = ({ access }: Pick<Repo, 'access'>, names: ReadonlyMap<string, string>): string => {
  if (access === null) return ''
  if (access.everyone) return 'everyone'
  const people = access.users.map((id) => names.get(id) ?? shortId(id))
  return [...people, ...access.agentGroups.map((id) => `group ${shortId(id)}`)].join(', ') || 'admins only'
}

export const repoAccess: Handler<typeof repoAccessFlags> = async ({ args: [text = ''], flags }, context) => {
  const { everyone, nobody, user, group } = flags
  const named = user.length + group.length > 0
  if ([everyone, nobody, named].filter(Boolean).length > 1)
    throw wrongUsage('Give --everyone, --nobody, or --user and --group.')
  const wrong = group.find((id) => !isWholeId(id))
  if (wrong !== undefined) throw wrongUsage(`--group needs the whole id of an agent group, not "${wrong}".`)
  const { client } = await context.api()
  const id = await findRepo(client, text)
  const users: string[] = []
  for (const name of user) users.push(await findUser(client, name))
  const repo =
    everyone || nobody || named
      ? await client.setRepoAccess({ params: { id }, body: { everyone, users, agentGroups: [...group] } })
      : await client.getRepo({ params: { id } })
  const names = await namesOfPeople(client)
  printResult(context, repo, (one) => `Repo ${one.name} can be used by: ${accessWords(one, names) || 'you'}.`)
}

export const removeRepo: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const removed = await client.removeRepo({ params: { id: await findRepo(client, text) } })
  printResult(context, removed, ({ id }) => `Repo ${shortId(id)} removed from the list; its files and sessions stay.`)
}
