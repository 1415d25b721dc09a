import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { findUser } from '../find-by-id.ts'
import { programName } from '../program-name.ts'
import { printResult } from '../print-result.ts'
import type { claimFlags } from '../table/chats.ts'
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
      `In the chat, write: /signalbox link ${made.code}\nThe code works once, and expires ${relativeTime(made.expiresAt, context.now())}.`,
    )
}

/** The code that a chat gave out. Shows first whose it is: somebody may have sent you theirs. */
export const claimCode: Handler<typeof claimFlags> = async ({ args: [code = ''], flags }, context) => {
  const { client } = await context.api()
  const { identity } = await client.showIdentityCode({ body: { code } })
  if (!flags.yes) {
    const question = `Link ${identity} to you? Only if you asked for this code yourself. (y/n) `
    const asked = await context.keyboard?.ask(question, { signal: context.interrupted(), fresh: true })
    if (!/^y(es)?$/i.test(asked?.line?.trim() ?? ''))
      throw new Failure({
        exit: asked ? exit.failed : exit.usage,
        code: 'not_confirmed',
        message: 'Nothing was linked.',
        hint: asked
          ? undefined
          : `No terminal to ask on. To link ${identity}: ${programName()} identities claim CODE --yes`,
      })
  }
  const user = await client.claimIdentity({ body: { code } })
  printResult(context, user, ({ displayName }) => `${identity} is linked to ${displayName}.`)
}

export const claimIdentity: Handler = async ({ args: [identity = '', code = ''] }, context) => {
  const { client } = await context.api()
  showPerson(context, await client.claimIdentity({ body: { identity, code } }))
}
