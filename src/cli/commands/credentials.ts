import type { Credential } from '../../domain/credential/schema.ts'
import { exactText } from '../clean-text.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { findAsk, findGroup } from '../find-by-id.ts'
import { shortener } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import { actorText } from '../display-text.ts'
import { relativeTime } from '../times.ts'

export const listCredentials: Handler = async ({ args: [group = ''] }, context) => {
  const { client } = await context.api()
  const id = await findGroup(client, group)
  const [all, people] = await Promise.all([
    client.listCredentials({ params: { id } }).then(({ credentials }) => credentials),
    namesOfPeople(client),
  ])
  printResult(context, all, () => {
    const short = shortener(all.map((one) => one.id))
    const columns: Column<Credential>[] = [
      { title: 'ID', cell: (one) => short(one.id) },
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'HOST', cell: ({ host }) => host, shrinks: true },
      {
        title: 'GRANTED BY',
        cell: ({ grantedBy }) => (grantedBy === null ? '' : actorText(`user:${grantedBy}`, people)),
        shrinks: true,
      },
      { title: 'GRANTED', cell: ({ grantedAt }) => relativeTime(grantedAt, context.now()) },
    ]
    return tableOr(context, all, columns, 'No credentials. Agents ask for them with request_credential.')
  })
}

export const revokeCredential: Handler = async ({ args: [group = '', wanted = ''] }, context) => {
  const { client } = await context.api()
  const id = await findGroup(client, group)
  const all = (await client.listCredentials({ params: { id } })).credentials
  const [found, ...others] = all.filter((one) => one.id.startsWith(wanted.toLowerCase()) || one.name === wanted)
  if (!found || others.length > 0)
    throw new Failure({
      exit: exit.notFound,
      code: 'credential_not_found',
      message: found ? `Several credentials match ${wanted}.` : `Credential not found: ${wanted}`,
      hint: `See them with: signalbox credentials list ${group}`,
    })
  const revoked = await client.revokeCredential({ params: { id, credentialId: found.id } })
  printResult(context, revoked, () => `Revoked ${found.name} for ${found.host}. Its value is deleted.`)
}

const pageSize = 1000

/** All lines that were kept. */
export const showAskLog: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findAsk(client, text)
  const lines: { seq: number; at: string; text: string }[] = []
  for (let after = 0; ;) {
    const page = await client.getAskLog({ params: { id }, query: { after } })
    lines.push(...page.lines)
    after = page.next
    if (page.lines.length < pageSize) break
  }
  printResult(context, { lines }, () =>
    lines.length === 0 ? 'Nothing was logged.' : lines.map((line) => exactText(line.text)).join('\n'),
  )
}
