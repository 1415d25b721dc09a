import { programName } from '../program-name.ts'
import type { Client } from '../../client/client.ts'
import type { ListedSession } from '../../client/contract/sessions.ts'
import { riskWords } from '../../domain/ask/about.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { adminFacts } from '../../domain/ask/shown-effect.ts'
import { answerLines } from '../answer-lines.ts'
import { listAnswers } from './answers.ts'
import { cleanLine, cleanText, exactLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { renderFields, type Column } from '../columns.ts'
import { findAsk, findSession } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import { type Output, formatJson } from '../output.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import { subjectText } from '../subject-text.ts'
import type { askListFlags } from '../table/work.ts'
import { whatOf } from '../terminal/terminal-text.ts'
import { relativeTime } from '../times.ts'
import { actorText, riskCell, statusCell } from '../display-text.ts'
import { wrapLines } from '../wrap-lines.ts'
import { optionOf, verbOf } from '../../domain/ask/answer-words.ts'

export const listAsks: Handler<typeof askListFlags> = async ({ flags }, context) => {
  if (flags.answered) return listAnswers(flags, context)
  const { client } = await context.api()
  const sessionId = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const query = {
    ...(!flags.all && { status: 'open' }),
    ...(sessionId && { sessionId }),
    ...(flags.kind !== undefined && { kind: flags.kind }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
  }
  const page = await client.listAsks({ query })
  if (context.json) return context.out.json(page)
  const askers = page.asks.some((ask) => ask.sessionId !== null) ? await askersBySession(client) : new Map()
  printResult(context, page, ({ asks, next }) => {
    const short = shortener(asks.map(({ id }) => id))
    const now = context.now()
    const columns: Column<Ask>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      ...(flags.all ? [{ title: 'STATUS', cell: ({ status }: Ask) => statusCell(status) }] : []),
      { title: 'KIND', cell: ({ kind }) => kind, shrinks: true },
      { title: 'WHAT', cell: ({ title }) => exactLine(title), shrinks: true },
      { title: 'ASKED BY', cell: (ask) => whoAsks(ask, askers), shrinks: true },
      { title: 'RISK', cell: ({ riskLevel }) => riskCell(riskLevel) },
      { title: 'AGE', cell: ({ createdAt }) => relativeTime(createdAt, now) },
      { title: 'EXPIRES', cell: ({ status, expiresAt }) => (status === 'open' ? relativeTime(expiresAt, now) : '') },
    ]
    const table = tableOr(context, asks, columns, flags.all ? 'No asks.' : 'No open asks.')
    const [first] = asks
    const more = next === null ? '' : '\nMore: use --limit'
    return first === undefined || flags.all
      ? table + more
      : `${table}\n${more}\nShow one: ${programName()} asks show ${short(first.id)}`
  })
}

type Asker = { agent: string | null; terminal: string | null }

/** The agent of a session, or the program in its terminal, as shown in the dashboard. */
const askerOf = ({ agent, protocolMode, title }: ListedSession): Asker => ({
  agent,
  terminal: protocolMode === 'terminal' ? (title ?? null) : null,
})

async function askersBySession(client: Client): Promise<ReadonlyMap<string, Asker>> {
  const { sessions } = await client.listSessions({ query: { view: 'full', limit: 100 } })
  return new Map(sessions.map((session) => [session.id, askerOf(session)]))
}

function whoAsks({ sessionId, origin }: Ask, askers: ReadonlyMap<string, Asker>): string {
  if (sessionId === null) return origin
  const { agent = null, terminal = null } = askers.get(sessionId) ?? {}
  return terminal === null
    ? `${agent ?? 'session'} ${shortId(sessionId)}`
    : `${cleanLine(terminal)} (terminal ${shortId(sessionId)})`
}

const lastRows = 12

/** The program and its screen; nothing if it can no longer be read. */
async function terminalOf(ask: Ask, client: Client): Promise<{ what: string | null; screen: string | null }> {
  const { sessionId: id } = ask
  if (id === null || ask.subject.kind !== 'terminal_prompt') return { what: null, screen: null }
  const [view, screen] = await Promise.all([
    client.getTerminal({ params: { id } }).catch(() => null),
    ask.status === 'open' ? client.terminalScreen({ params: { id } }).catch(() => null) : null,
  ])
  const rows = cleanText(screen?.screen ?? '').trimEnd()
  return { what: view && whatOf(view), screen: rows === '' ? null : rows.split('\n').slice(-lastRows).join('\n') }
}

/** What the caller can do with an open ask. One that the inbox does not list counts as theirs: the server decides. */
async function rightsOf(ask: Ask, client: Client): Promise<{ mine: boolean; mayApprove: boolean }> {
  const inbox = await client.inbox({}).catch(() => null)
  const item = inbox?.items.find((each) => each.kind === 'ask' && each.ask.id === ask.id)
  return item?.kind === 'ask' ? item : { mine: true, mayApprove: true }
}

async function answerBlock(ask: Ask, client: Client, { paint, width }: Output): Promise<string[]> {
  if (ask.status !== 'open') return []
  const { mine, mayApprove } = await rightsOf(ask, client)
  const lines = mine ? answerLines(ask, { mayApprove }).map((line) => `  ${line}`) : []
  if (lines.length === 0)
    return [mine ? 'You need the machine right to answer this ask.' : 'You can view this ask, but not answer it.']
  const note = mayApprove ? [] : ['Approving it needs the machine right. Ask an owner.']
  return [[paint('bold', 'Answer it with one of'), wrapLines(lines.join('\n'), width, 2), ...note].join('\n')]
}

export const showAsk: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const ask = await client.getAsk({ params: { id: await findAsk(client, text) } })
  if (context.json) return context.out.json(ask)
  const [people, terminal] = await Promise.all([namesOfPeople(client), terminalOf(ask, client)])
  const now = context.now()
  const { out } = context
  const fields = renderFields(
    [
      ['Ask', ask.id],
      ['Title', exactLine(ask.title)],
      ['Status', statusCell(ask.status)],
      ['Risk', riskCell(ask.riskLevel)],
      ['Why', cleanLine(riskWords(ask)) || null],
      ['Kind', ask.kind],
      [ask.subject.kind === 'terminal_prompt' ? 'Terminal' : 'Session', ask.sessionId],
      ['Program', terminal.what],
      ['Source', ask.origin],
      ['Asked', relativeTime(ask.createdAt, now)],
      ['Expires', ask.status === 'open' ? relativeTime(ask.expiresAt, now) : null],
      ['Approvals', ask.needed > 1 ? `${ask.votes.length} of ${ask.needed}` : null],
      ['Answer', answerText(ask)],
      ['Answered by', ask.answeredBy === null ? null : actorText(ask.answeredBy, people)],
      ['Answered', relativeTime(ask.answeredAt, now)],
      ['Approved by', ask.approvedBy === null ? null : actorText(ask.approvedBy, people)],
      ['Reason', ask.reason],
      ...adminFacts(ask),
      ['For', ask.requestedBy === null ? null : actorText(`user:${ask.requestedBy}`, people)],
    ],
    out,
  )
  const framed = terminal.screen?.replaceAll(/^/gm, `${out.paint('dim', '│')} `)
  const blocks = [fields, ...(framed === undefined ? [] : [framed]), ...subjectText(ask, out.paint)]
  blocks.push(...(await answerBlock(ask, client, out)))
  out.print(blocks.join('\n\n'))
}

/** `Rejected (No, tell it what to do): too risky`: the option and its text. */
function answerText(ask: Pick<Ask, 'answer' | 'subject' | 'retractedAt'>): string | null {
  const { answer } = ask
  if (answer === null) return null
  const option = optionOf(ask)
  const name = option === null ? '' : ` (${exactLine(option.name)})`
  const said = saidWith(answer, ask.subject)
  return `${verbOf(ask)}${name}${said === '' ? '' : `: ${exactLine(said)}`}`
}

function saidWith(answer: NonNullable<Ask['answer']>, subject: Ask['subject']): string {
  if ('reason' in answer) return answer.reason ?? ''
  if ('instruction' in answer) return answer.instruction ?? ''
  if ('content' in answer) return formatJson(answer.content, false)
  const isSecret = subject.kind === 'credential' || (subject.kind === 'terminal_prompt' && subject.secret)
  return 'value' in answer && !isSecret ? answer.value : ''
}
