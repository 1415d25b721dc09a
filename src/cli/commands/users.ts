import type { User } from '../../domain/user/schema.ts'
import type { Handler } from '../command.ts'
import { renderFields, type Column } from '../columns.ts'
import type { Context } from '../context.ts'
import { findUser } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { createUserFlags } from '../table/people.ts'
import { relativeTime } from '../times.ts'
import { roleText } from '../display-text.ts'

const identityWords = ({ identities }: User): string => identities.map(({ identity }) => identity).join(', ')

export const listUsers: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  printResult(context, (await client.listUsers({})).users, (users) => {
    const short = shortener(users.map(({ id }) => id))
    const columns: Column<User>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'NAME', cell: ({ displayName }) => displayName, shrinks: true },
      { title: 'ROLES', cell: roleText },
      { title: 'IDENTITIES', cell: identityWords, shrinks: true },
      { title: 'SINCE', cell: ({ createdAt }) => relativeTime(createdAt, context.now()) },
      { title: 'REMOVED', cell: ({ removedAt }) => relativeTime(removedAt, context.now()) },
    ]
    return tableOr(context, users, columns, 'No people.')
  })
}

/** The person as they are now, after whatever was done. */
export function showPerson(context: Context, user: User): void {
  printResult(context, user, (one) =>
    renderFields(
      [
        ['User', one.id],
        ['Name', one.displayName],
        ['Roles', roleText(one)],
        ['Identities', identityWords(one)],
        ['Member of', one.memberOf.map(({ agentGroupId }) => shortId(agentGroupId)).join(', ')],
        ['Since', relativeTime(one.createdAt, context.now())],
        ['Removed', relativeTime(one.removedAt, context.now())],
      ],
      context.out,
    ),
  )
}

export const showUser: Handler = async ({ args: [user = ''] }, context) => {
  const { client } = await context.api()
  showPerson(context, await client.getUser({ params: { id: await findUser(client, user) } }))
}

export const createUser: Handler<typeof createUserFlags> = async ({ args: [displayName = ''], flags }, context) => {
  const { client } = await context.api()
  const identities = flags.identity === undefined ? [] : [flags.identity]
  showPerson(context, await client.createUser({ body: { displayName, identities } }))
}

export const renameUser: Handler = async ({ args: [user = '', displayName = ''] }, context) => {
  const { client } = await context.api()
  const id = await findUser(client, user)
  showPerson(context, await client.renameUser({ params: { id }, body: { displayName } }))
}

export const removeUser: Handler = async ({ args: [user = ''] }, context) => {
  const { client } = await context.api()
  const removed = await client.removeUser({ params: { id: await findUser(client, user) } })
  printResult(context, removed, ({ displayName }) => `${displayName} was removed.`)
}
