import { programName } from '../program-name.ts'
import type { Event } from '../../domain/audit/schema.ts'
import { auditQuery } from '../audit-query.ts'
import type { Handler } from '../command.ts'
import type { Column } from '../columns.ts'
import { factsOf } from '../event-text.ts'
import { shortId } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { auditFlags } from '../table/records.ts'
import { relativeTime } from '../times.ts'
import { actorText } from '../display-text.ts'

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
