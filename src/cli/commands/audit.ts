import type { Event } from '../../domain/audit/schema.ts'
import { pathOf, type Client } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import type { Session } from '../../domain/session/schema.ts'
import { programName } from '../program-name.ts'
import type { Handler, FlagValues } from '../command.ts'
import type { Column } from '../columns.ts'
import { factsOf } from '../event-text.ts'
import { shortId } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { auditFlags, auditExportFlags } from '../table/records.ts'
import { relativeTime, timeBack } from '../times.ts'
import { actorText } from '../display-text.ts'
import { saveChunks } from '../save-chunks.ts'
import { findSession, findUser } from '../find-by-id.ts'

export const searchAudit: Handler<typeof auditFlags> = async ({ flags }, context) => {
  const { limit, ...filter } = flags
  const { client } = await context.api()
  const query = await auditQuery(client, filter, context.now())
  const page = await client.searchAudit({ query: { ...query, ...(limit !== undefined && { limit }) } })
  if (context.json) return context.out.json(page)
  const people = await namesOfPeople(client)
  const now = context.now()
  const columns: Column<Event>[] = [
    { title: 'WHEN', cell: ({ at }) => relativeTime(at, now) },
    { title: 'WHO', cell: ({ actor }) => actorText(actor, people), shrinks: true },
    { title: 'WHAT', cell: ({ type }) => type },
    { title: 'SESSION', cell: ({ sessionId }) => (sessionId === null ? '' : shortId(sessionId)) },
    { title: 'FACTS', cell: (event) => factsOf(event, people), shrinks: true },
  ]
  return printResult(context, page, ({ events, next }) => {
    const table = tableOr(context, events, columns, 'No matching events.')
    return next === null ? table : `${table}\n\nMore: use --limit, or ${programName()} audit export`
  })
}

/** Streamed, so that a log of any length needs little memory. */
export const exportAudit: Handler<typeof auditExportFlags> = async ({ flags }, context) => {
  const { output, ...filter } = flags
  const connection = await context.api()
  const query = await auditQuery(connection.client, filter, context.now())
  const path = pathOf(api.exportAudit, { query })
  const { chunks } = await connection.stream(path, { accept: 'application/x-ndjson' }, new AbortController().signal)
  if (output === undefined) {
    const decoder = new TextDecoder()
    for await (const chunk of chunks) await context.out.write(decoder.decode(chunk, { stream: true }))
    return
  }
  const { lines: events, bytes } = await saveChunks(output, chunks)
  if (context.json) context.out.json({ file: output, events, bytes })
  else context.out.print(`${events} events written to ${output}.`)
}

type AuditQuery = Omit<FlagValues<typeof auditExportFlags>, 'output'>
type Query = { type?: string; actor?: string; session?: Session['id']; since?: string; until?: string; text?: string }

/** The filter flags as the API's query. */
async function auditQuery(client: Client, flags: AuditQuery, now: number): Promise<Query> {
  return {
    ...(flags.type !== undefined && { type: flags.type }),
    ...(flags.text !== undefined && { text: flags.text }),
    ...(flags.since !== undefined && { since: timeBack('since', flags.since, now) }),
    ...(flags.until !== undefined && { until: timeBack('until', flags.until, now) }),
    ...(flags.actor !== undefined && { actor: await actorName(client, flags.actor) }),
    ...(flags.session !== undefined && { session: await findSession(client, flags.session) }),
  }
}

/** The log stores `user:<id>`; people type names. */
const actorName = async (client: Client, text: string): Promise<string> =>
  /^(?:user|agent|policy|system):/.test(text) ? text : `user:${await findUser(client, text)}`
