import type { Client } from '../../client/client.ts'
import type { QueueItem } from '../../domain/queue/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { findSession } from '../find-by-id.ts'
import { findId, shortener } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import { wrongUsage } from '../failure.ts'
import { readAll } from '../read-all.ts'
import type { changeQueuedFlags, queueFlags } from '../table/agents.ts'
import { relativeTime } from '../times.ts'
import { actorText } from '../display-text.ts'

const isPending = ({ status }: QueueItem): boolean => status === 'waiting' || status === 'sent'

export const listQueue: Handler<typeof queueFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const queue = await client.listQueue({ params: { id } })
  if (context.json) return context.out.json(queue)
  const items = flags.all ? queue.items : queue.items.filter(isPending)
  const people = await namesOfPeople(client)
  const none = flags.all ? 'The queue is empty.' : 'Nothing is waiting.'
  return context.out.print(queueTable(context, items, people, none))
}

export function queueTable(
  context: Context,
  items: readonly QueueItem[],
  people: ReadonlyMap<string, string>,
  none: string,
): string {
  const short = shortener(items.map((item) => item.id))
  const now = context.now()
  const columns: Column<QueueItem>[] = [
    { title: 'ITEM', cell: (item) => short(item.id) },
    { title: 'STATUS', cell: ({ status }) => (status === 'sent' ? 'running' : status) },
    { title: 'WHEN', cell: ({ when }) => when },
    { title: 'TEXT', cell: (item) => `${item.text.slice(0, 200)}${filesText(item)}`, shrinks: true },
    { title: 'BY', cell: ({ by }) => actorText(by, people) },
    { title: 'SINCE', cell: ({ createdAt }) => relativeTime(createdAt, now) },
  ]
  return tableOr(context, items, columns, none)
}

const filesText = ({ attachments = [], links = [] }: QueueItem): string => {
  const names = [...attachments.map(({ name }) => name), ...links.map((path) => `@${path}`)]
  return names.length === 0 ? '' : ` [${names.join(', ')}]`
}

export const dropQueued: Handler = async ({ args: [text = '', item = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const itemId = await findItem(client, id, item)
  const dropped = await client.dropQueued({ params: { id, itemId } })
  printResult(context, dropped, () => 'Removed. The agent will not see it.')
}

export const editQueued: Handler = async ({ args: [text = '', item = '', ...words] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const itemId = await findItem(client, id, item)
  const said = words.join(' ') === '-' ? await readAll(process.stdin) : words.join(' ')
  if (said.trim() === '') throw wrongUsage('Give the new words.', 'To remove the prompt: signalbox queue drop')
  const changed = await client.changeQueued({ params: { id, itemId }, body: { text: said } })
  printResult(context, changed, () => 'Changed.')
}

export const moveQueued: Handler<typeof changeQueuedFlags> = async (
  { args: [text = '', item = ''], flags },
  context,
) => {
  if (flags.before !== undefined && flags.last) throw wrongUsage('Give --before or --last, not both.')
  if (flags.before === undefined && !flags.last && flags.when === undefined)
    throw wrongUsage('Say where to: --before ITEM, --last or --when WHEN.')
  const { client } = await context.api()
  const id = await findSession(client, text)
  const itemId = await findItem(client, id, item)
  const before = flags.before === undefined ? null : await findItem(client, id, flags.before)
  const body = {
    ...(flags.when !== undefined && { when: flags.when as QueueItem['when'] }),
    ...((before !== null || flags.last) && { before }),
  }
  const moved = await client.changeQueued({ params: { id, itemId }, body })
  if (context.json) return context.out.json(moved)
  const { items } = await client.listQueue({ params: { id } })
  const waiting = items.filter(({ status }) => status === 'waiting')
  const inOrder = (['now', 'next', 'later'] as const).flatMap((when) => waiting.filter((one) => one.when === when))
  const place = inOrder.findIndex((one) => one.id === itemId)
  return context.out.print(place < 0 ? 'Moved.' : `Moved. ${place === 0 ? 'It is next.' : `${place} before it.`}`)
}

function findItem(client: Client, id: Session['id'], text: string): Promise<QueueItem['id']> {
  const pages = async function* () {
    const { items } = await client.listQueue({ params: { id } })
    yield items.filter(isPending)
    yield items
  }
  return findId<QueueItem>(text, { what: 'queue item', list: `signalbox queue ${id}`, pages: pages() })
}
