import { verbOf } from '../../domain/ask/answer-words.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { cleanLine, exactLine } from '../clean-text.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { actorText } from '../display-text.ts'
import { findAsk, findPerson, findSession } from '../find-by-id.ts'
import { shortener } from '../ids.ts'
import { programName } from '../program-name.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { reasonFlags } from '../table/work.ts'
import { relativeTime } from '../times.ts'

type Flags = {
  readonly session?: string | undefined
  readonly kind?: readonly string[] | string | undefined
  readonly by?: string | undefined
  readonly automatic: boolean
  readonly limit?: number | undefined
}

/** What was answered, by whom and when, and what became of it. */
export async function listAnswers(flags: Flags, context: Context): Promise<void> {
  const { client } = await context.api()
  const sessionId = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const answeredBy = flags.by === undefined ? undefined : await findPerson(client, flags.by)
  const page = await client.listAsks({
    query: {
      order: 'answered',
      ...(sessionId && { sessionId }),
      ...(answeredBy && { answeredBy }),
      ...(flags.automatic && { automatic: 'true' }),
      ...(flags.kind !== undefined && { kind: String(flags.kind) }),
      ...(flags.limit !== undefined && { limit: flags.limit }),
    },
  })
  if (context.json) return context.out.json(page)
  const { people: names } = await client.listNames({})
  const people = new Map<string, string>(names.map(({ id, displayName }) => [id, displayName]))
  printResult(context, page, ({ asks, next }) => {
    const short = shortener(asks.map(({ id }) => id))
    const now = context.now()
    const columns: Column<Ask>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'ANSWER', cell: verbOf },
      { title: 'BY', cell: ({ answeredBy: by }) => (by === null ? '' : actorText(by, people)), shrinks: true },
      { title: 'WHEN', cell: ({ answeredAt }) => relativeTime(answeredAt, now) },
      { title: 'KIND', cell: ({ kind }) => kind, shrinks: true },
      { title: 'WHAT', cell: ({ title }) => exactLine(title), shrinks: true },
      { title: 'SINCE THEN', cell: sinceThen },
    ]
    const table = tableOr(context, asks, columns, 'No answers.')
    const open = asks.find(({ mayRetract }) => mayRetract === true)
    const hint = open === undefined ? '' : `\n\nNot used yet: ${programName()} retract ${short(open.id)}`
    return table + (next === null ? '' : '\nMore: use --limit') + hint
  })
}

function sinceThen({ status, undoneAt, mayRetract }: Ask): string {
  if (undoneAt !== null) return 'undone'
  if (status === 'consumed') return 'applied'
  if (status === 'applying') return 'being applied'
  if (status === 'failed') return 'not applied'
  return mayRetract === true ? 'not used yet' : ''
}

export const retract: Handler<typeof reasonFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findAsk(client, text)
  const ask = await client.retractAsk({ params: { id }, body: { reason: flags.reason ?? null } })
  printResult(context, ask, ({ title }) => `Retracted: ${cleanLine(title)}\nThe agent is told that it was rejected.`)
}
