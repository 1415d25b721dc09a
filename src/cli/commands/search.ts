import { programName } from '../program-name.ts'
import type { Message } from '../../domain/message/schema.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { findSession } from '../find-by-id.ts'
import { shortener } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { searchFlags } from '../table/agents.ts'
import { relativeTime } from '../times.ts'

type SearchHit = Message & { snippet: string }

export const search: Handler<typeof searchFlags> = async ({ args, flags }, context) => {
  const { client } = await context.api()
  const session = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const query = {
    q: args.join(' '),
    ...(session && { session }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
  }
  const found = await client.searchMessages({ query })
  printResult(context, found, ({ messages }) => {
    const short = shortener(messages.map(({ sessionId }) => sessionId))
    const now = context.now()
    const columns: Column<SearchHit>[] = [
      { title: 'SESSION', cell: ({ sessionId }) => short(sessionId) },
      { title: 'WHEN', cell: ({ timestamp }) => relativeTime(timestamp, now) },
      { title: 'WHO', cell: ({ role }) => role },
      { title: 'WHAT', cell: ({ snippet }) => snippet, shrinks: true },
    ]
    const [first] = messages
    const table = tableOr(context, messages, columns, 'No matches.')
    return first ? `${table}\n\nRead more: ${programName()} logs ${short(first.sessionId)}` : table
  })
}
