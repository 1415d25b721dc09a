import type { Handler } from '../command.ts'
import { findUser } from '../find-by-id.ts'
import { printResult } from '../print-result.ts'
import { relativeTime } from '../times.ts'
import { showPerson } from './users.ts'

export const linkIdentity: Handler = async ({ args: [user = '', identity = ''] }, context) => {
  const { client } = await context.api()
  const id = await findUser(client, user)
  showPerson(context, await client.linkIdentity({ params: { id }, body: { identity } }))
}

export const unlinkIdentity: Handler = async ({ args: [user = '', identity = ''] }, context) => {
  const { client } = await context.api()
  const id = await findUser(client, user)
  showPerson(context, await client.unlinkIdentity({ params: { id, identity } }))
}

export const createLinkCode: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const made = await client.createLinkCode({})
  printResult(context, made, ({ code }) => code)
  if (!context.json)
    context.out.note(
      `Send it from the identity to be linked. It expires ${relativeTime(made.expiresAt, context.now())}.`,
    )
}

export const claimIdentity: Handler = async ({ args: [identity = '', code = ''] }, context) => {
  const { client } = await context.api()
  showPerson(context, await client.claimIdentity({ body: { identity, code } }))
}
