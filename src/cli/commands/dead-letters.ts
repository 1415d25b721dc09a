import type { Handler } from '../command.ts'
import type { Column } from '../columns.ts'
import { findId, shortener } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { deadLetterFlags } from '../table/records.ts'
import { relativeTime } from '../times.ts'
import { namesOfChats } from './destinations.ts'

export const deadLetters: Handler<typeof deadLetterFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  if (flags.retry === undefined) {
    const letters = (await client.listDeadLetters({})).deadLetters
    const short = shortener(letters.map(({ id }) => id))
    const chats = letters.some(({ destination }) => destination !== null) ? await namesOfChats(client) : new Map()
    const columns: Column<(typeof letters)[number]>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'FOLLOWER', cell: ({ follower }) => follower },
      { title: 'TO', cell: ({ destination }) => destinationText(destination, chats) },
      { title: 'EVENT', cell: ({ eventId }) => eventId },
      { title: 'TRIED', cell: ({ attempts }) => `${attempts} times` },
      { title: 'WHEN', cell: ({ at }) => relativeTime(at, context.now()) },
      { title: 'ERROR', cell: ({ error }) => error, shrinks: true },
    ]
    const none = 'No dead letters.'
    return printResult(context, letters, () => tableOr(context, letters, columns, none))
  }
  const pages = (async function* () {
    yield (await client.listDeadLetters({})).deadLetters
  })()
  const id = await findId(flags.retry, { what: 'dead letter', list: 'signalbox events dead-letters', pages })
  printResult(context, await client.retryDeadLetter({ params: { id } }), ({ kind, follower }) =>
    kind === 'message' ? `${follower} will send it again.` : `${follower} handled it.`,
  )
}

/** Chats by name; whatever follows the id, such as a thread, stays. */
function destinationText(destination: string | null, chats: ReadonlyMap<string, string>): string {
  const found = /^(?<id>[0-9a-f-]{36})(?<rest>.*)$/s.exec(destination ?? '')
  const name = chats.get(found?.groups?.['id'] ?? '')
  return name === undefined ? (destination ?? '') : `${name}${found?.groups?.['rest'] ?? ''}`
}
