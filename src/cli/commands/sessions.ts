import type { Diagnosis, Usage } from '../../domain/agent/about.ts'
import type { ListedSession, SessionDetail } from '../../client/contract/sessions.ts'
import { hasEnded } from '../../domain/session/status.ts'
import { pathOf } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import { withProgramName, programName } from '../program-name.ts'
import { cleanLine, exactLine, createCleaner } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { renderFields, type Cell, type Column } from '../columns.ts'
import { findRepo, findSession } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import { messageLines } from '../message-text.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { sessionListFlags, messageFlags } from '../table/work.ts'
import { relativeTime, timeBack } from '../times.ts'
import { causeText, sessionCell } from '../display-text.ts'
import { saveChunks } from '../save-chunks.ts'
import type { sessionExportFlags } from '../table/session-agent.ts'
import { sharedText } from './changes.ts'
import { queueTable } from './queue.ts'

const lastMessages = 5

export const listSessions: Handler<typeof sessionListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const repoId = flags.repo === undefined ? undefined : await findRepo(client, flags.repo)
  const query = {
    ...(flags.status !== undefined && { status: flags.status }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
    ...(repoId && { repoId }),
    ...(flags.archived && { archived: 'true' as const }),
  }
  // JSON keeps the raw fields; people see the names of the dashboard.
  const page = await client.listSessions({ query: context.json ? query : { ...query, view: 'full' as const } })
  printResult(context, page, ({ sessions, total }) => {
    const short = shortener(sessions.map(({ id }) => id))
    const now = context.now()
    const columns: Column<ListedSession>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'STATUS', cell: sessionCell },
      { title: 'AGENT', cell: ({ agent, protocolMode }) => agent ?? protocolMode, shrinks: true },
      { title: 'WHAT', cell: whatOf, shrinks: true },
      { title: 'WHERE', cell: ({ workspaceRoot }) => workspaceRoot, shrinks: true },
      { title: 'ACTIVE', cell: ({ lastActivityAt, updatedAt }) => relativeTime(lastActivityAt ?? updatedAt, now) },
    ]
    const table = tableOr(
      context,
      sessions,
      columns,
      Object.keys(query).length === 0 ? 'No sessions yet.' : 'No matching sessions.',
    )
    return total > sessions.length ? `${table}\n\n${sessions.length} of ${total}; more with --limit` : table
  })
}

/** Its name, that of its terminal, or the prompt of an agent. */
const whatOf = ({ name, protocolMode, title, prompt }: ListedSession): string =>
  (name ?? (protocolMode === 'terminal' ? title : null) ?? prompt ?? '').slice(0, 200)

export const showSession: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const session = await client.getSession({ params: { id } })
  if (context.json) return context.out.json(session)
  const [people, { asks }, diagnosis] = await Promise.all([
    namesOfPeople(client),
    client.listAsks({ query: { sessionId: id, status: 'open' } }),
    session.agentState === null ? null : client.diagnoseSession({ params: { id } }).catch(() => null),
  ])
  const now = context.now()
  const { out } = context
  const lineage = session.lineage.map((one) => (one === session.id ? `${shortId(one)} (this)` : shortId(one)))
  const fields = renderFields(
    [
      ['Session', session.id],
      ['Name', session.name],
      ['Status', sessionCell(session)],
      ['Owner', people.get(session.ownerUserId) ?? session.ownerUserId],
      ['Delegates', session.delegates.map((one) => people.get(one) ?? shortId(one)).join(', ')],
      ['Agent', [session.agent, session.protocolMode, session.mode].filter((word) => word !== null).join(', ')],
      ['Isolation', session.agentState?.confinement || session.isolation],
      ['Now', diagnosis && nowCell(diagnosis, shortId(id))],
      ['Usage', usageWords(session.agentState?.usage ?? null)],
      ['Repo', session.repo?.name ?? null],
      ['Where', session.workspaceRoot],
      ['Worktree', worktreeCell(session.agentState?.worktree ?? null)],
      ['Shared', session.sharedWith > 0 ? sharedText(session.sharedWith) : null],
      ['Connection', hasEnded(session.status) ? null : session.connectivityStatus],
      ['Pinned', session.pinnedAt && relativeTime(session.pinnedAt, now)],
      ['Archived', session.archivedAt && relativeTime(session.archivedAt, now)],
      ['Started', relativeTime(session.createdAt, now)],
      ['Last active', relativeTime(session.lastActivityAt, now)],
      ['Last tool', session.lastTool],
      ['Lineage', lineage.length > 1 ? lineage.join(' → ') : null],
      ['Prompt', session.prompt],
    ],
    out,
  )
  const progress = (session.progressSnapshot ?? []).map(({ label, status }) => `  ${marks[status]} ${cleanLine(label)}`)
  const open = asks.map(
    (ask) => `  ${exactLine(ask.title)}: ${programName()} asks show ${shortener(asks.map((one) => one.id))(ask.id)}`,
  )
  const messages = session.messages.slice(-lastMessages).flatMap((message) => messageLines(message, now, out.paint))
  const blocks = [
    fields,
    ...block('Progress', progress),
    ...block('Waiting for you', open),
    ...block('Queue', session.queue.length === 0 ? [] : [queueTable(context, session.queue, people, '')]),
    ...block(`Last messages of ${session.messages.length}`, messages),
  ]
  out.print(blocks.join('\n\n'))

  function block(title: string, lines: readonly string[]): string[] {
    return lines.length === 0 ? [] : [[out.paint('bold', title), ...lines].join('\n')]
  }
}

const worktreeCell = (worktree: NonNullable<SessionDetail['agentState']>['worktree']): string | null =>
  worktree &&
  `branch ${worktree.branch}${worktree.from?.branch ? `, from ${worktree.from.branch}` : ''} of ${worktree.repo}`

const marks = { done: '✓', in_progress: '→', pending: '·' } as const

const sentence = (text: string): string => text.trim().replace(/\.$/, '')

function nowCell({ cause, detail, hint }: Diagnosis, id: string): Cell {
  const words = causeText(cause)
  const said = typeof words === 'string' ? words : words.text
  const text = [
    said,
    sentence(detail),
    ...(hint === null ? [] : [sentence(withProgramName(hint.replaceAll(/\bID\b/g, id)))]),
  ].join(' · ')
  return typeof words === 'string' ? text : { text, colour: words.colour }
}

function usageWords(usage: Usage | null): string | null {
  if (!usage) return null
  const { used, size, costUsd } = usage
  const tokens = used === null ? [] : [`${used}${size === null ? '' : ` of ${size}`} tokens`]
  return [...tokens, ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`])].join(', ')
}

export const showMessages: Handler<typeof messageFlags> = async ({ args: [text = ''], flags }, context) => {
  const since = flags.since === undefined ? undefined : timeBack('since', flags.since, context.now())
  const { client } = await context.api()
  const id = await findSession(client, text)
  const messages = await client.listMessages({ params: { id }, ...(since !== undefined && { query: { since } }) })
  printResult(context, messages, () => {
    const lines = messages.flatMap((message) => messageLines(message, context.now(), context.out.paint))
    return lines.length === 0 ? 'No messages.' : lines.join('\n')
  })
}

export const exportSession: Handler<typeof sessionExportFlags> = async ({ args: [text = ''], flags }, context) => {
  const connection = await context.api()
  const id = await findSession(connection.client, text)
  const format = flags.format ?? (context.json ? 'json' : 'markdown')
  const path = pathOf(api.exportSession, { params: { id }, query: { format } })
  const { chunks } = await connection.stream(path, { accept: '*/*' }, new AbortController().signal)
  if (flags.output === undefined) {
    const decoder = new TextDecoder()
    const cleaner = createCleaner()
    // A file gets every byte; on a terminal, escape sequences are removed.
    const shown = (part: string) => (Number.isFinite(context.out.width) ? cleaner.push(part) : part)
    for await (const chunk of chunks) await context.out.write(shown(decoder.decode(chunk, { stream: true })))
    return
  }
  const { bytes } = await saveChunks(flags.output, chunks)
  if (context.json) context.out.json({ file: flags.output, bytes })
  else context.out.print(`Session written to ${flags.output}.`)
}
