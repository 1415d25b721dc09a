import { called } from '../called.ts'
import { resolve } from 'node:path'
import type { Repo } from '../../domain/workspace/schema.ts'
import type { Handler } from '../command.ts'
import type { Column } from '../columns.ts'
import type { Context } from '../context.ts'
import { findRepo } from '../find.ts'
import { shortId, shortener } from '../ids.ts'
import { show, tableOr } from '../show.ts'
import type { addRepoFlags } from '../table/records.ts'
import { relativeTime } from '../times.ts'

function repoTable(context: Context, repos: readonly Repo[], none: string): string {
  const short = shortener(repos.map(({ id }) => id))
  const columns: Column<Repo>[] = [
    { title: 'ID', cell: ({ id }) => short(id) },
    { title: 'NAME', cell: ({ name }) => name, shrinks: true },
    { title: 'PATH', cell: ({ path }) => path, shrinks: true },
    { title: 'ADDED', cell: ({ createdAt }) => relativeTime(createdAt, context.now()) },
  ]
  return tableOr(context, repos, columns, none)
}

export const listRepos: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const none = `There are no repos. Add one with: ${called()} repos add PATH`
  show(context, await client.listRepos({}), (repos) => repoTable(context, repos, none))
}

export const addRepo: Handler<typeof addRepoFlags> = async ({ args: [path = ''], flags }, context) => {
  const { client } = await context.api()
  // On another machine only that machine knows what a relative path means.
  const absolute = context.url === undefined ? resolve(path) : path
  const body = { path: absolute, ...(flags.name !== undefined && { name: flags.name }) }
  show(context, await client.registerRepo({ body }), ({ name, id }) => `Repo ${name} is registered as ${shortId(id)}.`)
}

export const scanRepos: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const found = await client.scanRepos({})
  show(context, found, ({ registered, known }) => {
    const rest = `${known} ${known === 1 ? 'was' : 'were'} known already.`
    return registered.length === 0 ? `Nothing new; ${rest}` : `${repoTable(context, registered, '')}\n\n${rest}`
  })
}

export const removeRepo: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const removed = await client.removeRepo({ params: { id: await findRepo(client, text) } })
  show(context, removed, ({ id }) => `Repo ${shortId(id)} is forgotten; its files and sessions stay.`)
}
