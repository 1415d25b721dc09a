import { called } from '../called.ts'
import type { Client } from '../../client/client.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { answerLines } from '../answer-lines.ts'
import { exactLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { renderFields, type Column } from '../columns.ts'
import { findAsk, findSession } from '../find.ts'
import { shortId, shortener } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { show, tableOr } from '../show.ts'
import { subjectText } from '../subject-words.ts'
import type { askListFlags } from '../table/work.ts'
import { relativeTime } from '../times.ts'
import { actorWords, riskCell, statusCell } from '../words.ts'

export const listAsks: Handler<typeof askListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const sessionId = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const query = {
    ...(!flags.all && { status: 'open' }),
    ...(sessionId && { sessionId }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
  }
  const page = await client.listAsks({ query })
  if (context.json) return context.out.json(page)
  const agents = page.asks.some((ask) => ask.sessionId !== null) ? await agentsBySession(client) : new Map()
  show(context, page, ({ asks, next }) => {
    const short = shortener(asks.map(({ id }) => id))
    const now = context.now()
    const columns: Column<Ask>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      ...(flags.all ? [{ title: 'STATUS', cell: ({ status }: Ask) => statusCell(status) }] : []),
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'WHAT', cell: ({ title }) => exactLine(title), shrinks: true },
      { title: 'WHO ASKS', cell: (ask) => whoAsks(ask, agents), shrinks: true },
      { title: 'RISK', cell: ({ riskLevel }) => riskCell(riskLevel) },
      { title: 'AGE', cell: ({ createdAt }) => relativeTime(createdAt, now) },
      { title: 'EXPIRES', cell: ({ status, expiresAt }) => (status === 'open' ? relativeTime(expiresAt, now) : '') },
    ]
    const table = tableOr(context, asks, columns, flags.all ? 'There are no asks.' : 'Nothing waits for a decision.')
    const [first] = asks
    const more = next === null ? '' : '\nThere are more: use --limit'
    return first === undefined || flags.all
      ? table + more
      : `${table}\n${more}\nLook at one: ${called()} asks show ${short(first.id)}`
  })
}

async function agentsBySession(client: Client): Promise<Map<string, string>> {
  const { sessions } = await client.listSessions({ query: { limit: 100 } })
  return new Map(sessions.flatMap(({ id, agent }) => (agent === null ? [] : [[id, agent]])))
}

function whoAsks({ sessionId, origin }: Ask, agents: ReadonlyMap<string, string>): string {
  if (sessionId === null) return origin
  return `${agents.get(sessionId) ?? 'session'} ${shortId(sessionId)}`
}

export const showAsk: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const ask = await client.getAsk({ params: { id: await findAsk(client, text) } })
  if (context.json) return context.out.json(ask)
  const people = await namesOfPeople(client)
  const now = context.now()
  const { out } = context
  const fields = renderFields(
    [
      ['Ask', ask.id],
      ['Title', exactLine(ask.title)],
      ['Status', statusCell(ask.status)],
      ['Risk', riskCell(ask.riskLevel)],
      ['Kind', ask.kind],
      ['Session', ask.sessionId],
      ['Came by', ask.origin],
      ['Asked', relativeTime(ask.createdAt, now)],
      ['Expires', ask.status === 'open' ? relativeTime(ask.expiresAt, now) : null],
      ['Consents', ask.needed > 1 ? `${ask.votes.length} of ${ask.needed}` : null],
      ['Answer', ask.answer?.outcome ?? null],
      ['Answered by', ask.answeredBy === null ? null : actorWords(ask.answeredBy, people)],
      ['Answered', relativeTime(ask.answeredAt, now)],
      ['Reason', ask.reason],
    ],
    out,
  )
  const lines = ask.status === 'open' ? answerLines(ask).map((line) => `  ${line}`) : []
  const blocks = [fields, ...subjectText(ask, out.paint)]
  if (lines.length > 0) blocks.push([out.paint('bold', 'Answer it with one of'), ...lines].join('\n'))
  out.print(blocks.join('\n\n'))
}
