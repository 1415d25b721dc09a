import { programName } from '../program-name.ts'
import type { Token } from '../../domain/user/schema.ts'
import type { Handler } from '../command.ts'
import type { Cell, Column } from '../columns.ts'
import { wrongUsage } from '../failure.ts'
import { findSession, findToken } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { createTokenFlags, tokenListFlags } from '../table/people.ts'
import { relativeTime, timeAhead } from '../times.ts'

export const listTokens: Handler<typeof tokenListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const tokens = (await client.listTokens(flags.all ? { query: { all: 'true' } } : {})).tokens
  if (context.json) return context.out.json(tokens)
  const people = flags.all ? await namesOfPeople(client) : new Map<string, string>()
  const now = context.now()
  const short = shortener(tokens.map(({ id }) => id))
  const columns: Column<Token>[] = [
    { title: 'ID', cell: ({ id }) => short(id) },
    { title: 'NAME', cell: ({ name }) => name, shrinks: true },
    { title: 'SCOPE', cell: ({ scope }) => scope },
    { title: 'OF', cell: ({ userId }) => (flags.all ? (people.get(userId) ?? shortId(userId)) : ''), shrinks: true },
    { title: 'SESSION', cell: ({ sessionId }) => (sessionId === null ? '' : shortId(sessionId)) },
    { title: 'MADE', cell: ({ createdAt }) => relativeTime(createdAt, now) },
    { title: 'USED', cell: ({ lastUsedAt }) => relativeTime(lastUsedAt, now) || 'never' },
    { title: 'ENDS', cell: (token) => ends(token, now) },
  ]
  const none = `No tokens. Create one with: ${programName()} tokens create --name NAME`
  return context.out.print(tableOr(context, tokens, columns, none))
}

function ends({ revokedAt, expiresAt }: Token, now: number): Cell {
  if (revokedAt !== null) return { text: `revoked ${relativeTime(revokedAt, now)}`, colour: 'dim' }
  return expiresAt === null ? 'never' : relativeTime(expiresAt, now)
}

const usualLife = '90d'

export const createToken: Handler<typeof createTokenFlags> = async ({ flags }, context) => {
  if (flags.name === undefined) throw wrongUsage('Missing --name NAME: what the token is for.')
  const { expires = usualLife } = flags
  const expiresAt = expires === 'never' ? undefined : timeAhead('expires', expires, context.now())
  const { client } = await context.api()
  const sessionId = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const body = {
    name: flags.name,
    // A token for one session belongs to its agent, so the scope is agent.
    scope: (flags.scope ?? (sessionId ? 'agent' : 'read')) as Token['scope'],
    ...(sessionId && { sessionId }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
  const made = await client.createToken({ body })
  // Programs read `token` first.
  const { token, ...rest } = made
  printResult(context, { token, ...rest }, () => token)
  if (!context.json) {
    const until =
      made.expiresAt === null ? 'It never expires' : `It expires ${relativeTime(made.expiresAt, context.now())}`
    context.out.note(
      `Scope: ${made.scope}. Save it now: it is not shown again. ${until}; revoke it with: ${programName()} tokens revoke ${made.id}`,
    )
  }
}

export const revokeToken: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const revoked = await client.revokeToken({ params: { id: await findToken(client, text) } })
  printResult(context, revoked, ({ id }) => `Token ${shortId(id)} revoked.`)
}
