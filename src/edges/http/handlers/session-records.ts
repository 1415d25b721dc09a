import { api } from '../../../client/contract.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import { ok, type Result } from '../../../lib/result.ts'
import type { SessionDetail } from '../../../client/contract/sessions.ts'
import type { Message } from '../../../domain/message/schema.ts'
import { yieldToOthers } from '../../../lib/yield-to-others.ts'
import { jsonChunks, streamOf } from '../chunked-json.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'
import type { Agents } from './agents.ts'

const pageOfAsks = 500

/** Records of a session: export, conversation, files, errors, diagnosis. */
export function mountSessionRecords(
  web: Web,
  deps: RouteDeps,
  { agents, clock, silentAfterMs }: { agents: Pick<Agents, 'stderr'>; clock: Clock; silentAfterMs: number },
): void {
  const { app } = deps

  /** All of them, newest first. */
  async function allAsks(standing: ApiCall['caller']['standing'], sessionId: SessionId): Promise<Result<Ask[]>> {
    const all: Ask[] = []
    for (;;) {
      const page = await app.read.asks(standing, { sessionId, limit: pageOfAsks, before: all.at(-1) })
      if (!page.ok) return page
      all.push(...page.value)
      if (page.value.length < pageOfAsks) return ok(all)
    }
  }

  mount(web, deps, api.exportSession, async ({ params, query }, { caller }) => {
    const session = await app.read.sessionDetail(caller.standing, params.id)
    if (!session.ok) return session
    const asks = await allAsks(caller.standing, params.id)
    if (!asks.ok) return asks
    const name = `session-${params.id.slice(0, 8)}`
    const whole = { ...session.value, asks: asks.value }
    return query.format === 'json'
      ? document(jsonChunks(whole, 2), 'application/json; charset=utf-8', `${name}.json`)
      : document(sessionAsMarkdown(session.value, asks.value), 'text/markdown; charset=utf-8', `${name}.md`)
  })

  mount(web, deps, api.conversation, async ({ params, query }, { caller }) => {
    const before = pageStart(query.before)
    if (!before.ok) return before
    const page = { limit: query.limit, before: before.value }
    const found = await app.read.conversation(caller.standing, params.id, page)
    if (!found.ok) return found
    const { messages, older } = found.value
    return ok({ messages, next: older && nextPage([{ createdAt: older.timestamp, id: older.id }], 1) })
  })

  mount(web, deps, api.sessionFiles, async ({ params }, { caller }) => {
    const files = await app.read.sessionFiles(caller.standing, params.id)
    return files.ok ? ok({ files: files.value }) : files
  })

  mount(web, deps, api.sessionErrors, async ({ params }, { caller }) => {
    const kept = await app.read.stderr(caller.standing, params.id)
    if (!kept.ok) return kept
    return ok({ text: (await agents.stderr(params.id)) ?? kept.value })
  })

  mount(web, deps, api.agentLives, async ({ params }, { caller }) => {
    const lives = await app.read.lives(caller.standing, params.id)
    if (!lives.ok) return lives
    const running = await agents.stderr(params.id)
    const last = lives.value.at(-1)
    // The output of a process is stored when it ends.
    const now = running !== null && last?.endedAt === null ? [{ ...last, stderr: running }] : []
    return ok({ lives: now.length > 0 ? [...lives.value.slice(0, -1), ...now] : lives.value })
  })

  mount(web, deps, api.diagnoseSession, ({ params }, { caller }) =>
    app.read.diagnosis(caller.standing, params.id, { now: clock.now(), silentAfterMs }),
  )

  mount(web, deps, api.searchMessages, async ({ query }, { caller }) => {
    const { q, session, limit } = query
    return app.read.searchMessages(caller.standing, { q, sessionId: session, limit })
  })
}

const document = (pieces: AsyncIterator<string>, type: string, name: string): Response =>
  new Response(streamOf(pieces), {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })

const piece = 100

/** A session as a Markdown document: its data, its conversation and its asks. */
async function* sessionAsMarkdown(session: SessionDetail, asks: readonly Ask[]): AsyncGenerator<string> {
  const title = session.agentState?.title ?? firstLine(session.prompt) ?? `Session ${session.id.slice(0, 8)}`
  const facts = [
    ['Session', session.id],
    ['Status', session.status],
    ['Agent', session.agent ?? 'unknown'],
    ['Workspace', session.workspaceRoot],
    ['Confinement', session.agentState?.confinement || (session.isolation ?? '')],
    ['Started', session.createdAt],
    ['Ended', session.terminatedAt ?? ''],
    ['Lineage', session.lineage.length > 1 ? session.lineage.join(' → ') : ''],
  ].filter(([, value]) => value !== '')
  yield `# ${title}\n\n${facts.map(([name, value]) => `- ${name}: ${value}`).join('\n')}\n\n## Conversation\n`
  for (let from = 0; from < session.messages.length; from += piece) {
    const messages = session.messages.slice(from, from + piece)
    yield messages.map((message) => `\n${messageAsMarkdown(message)}\n`).join('')
    await yieldToOthers()
  }
  if (asks.length > 0) yield `\n## Asks\n\n${asks.toReversed().map(askAsMarkdown).join('\n')}\n`
}

function messageAsMarkdown({ role, content, timestamp }: Message): string {
  switch (content.type) {
    case 'text':
      return `### ${role} (${timestamp})\n\n${content.text}${content.partial ? '\n\n*(cut off here)*' : ''}${filesAsMarkdown(content)}`
    case 'thought':
      return `### thought (${timestamp})\n\n${quoted(content.text)}`
    case 'plan':
      return `### plan (${timestamp})\n\n${content.steps.map(stepAsMarkdown).join('\n')}`
    case 'tool':
      return `### ${content.title ?? content.tool} (${content.status ?? 'done'}, ${timestamp})\n\n${fenced(content)}`
    default:
      return content satisfies never
  }
}

/** Their names; the files themselves stay with Signalbox. */
function filesAsMarkdown({ attachments = [], links = [] }: Extract<Message['content'], { type: 'text' }>): string {
  const names = [...attachments.map(({ name, mimeType }) => `${name} (${mimeType})`), ...links]
  return names
    .map((name) => `\n\n- ${name}`)
    .join('')
    .replace('\n\n\n', '\n\n')
}

function stepAsMarkdown(step: unknown): string {
  const { content, status } = (step ?? {}) as { content?: unknown; status?: unknown }
  return `- [${status === 'completed' ? 'x' : ' '}] ${typeof content === 'string' ? content : JSON.stringify(step)}`
}

function fenced({ args, result }: Extract<Message['content'], { type: 'tool' }>): string {
  const shown = result === undefined ? { args } : { args, result }
  const text = JSON.stringify(shown, null, 2)
  // Longer than any fence in the text.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}

function askAsMarkdown(ask: Ask): string {
  const answer = ask.answer === null ? '' : `: ${ask.answer.outcome} by ${ask.answeredBy ?? 'nobody'}`
  return `- ${ask.createdAt} ${ask.title.replaceAll('\n', ' ')} (${ask.kind}, ${ask.status}${answer})`
}

const quoted = (text: string): string => text.replaceAll(/^/gm, '> ')

const firstLine = (text: string | null): string | undefined => text?.split('\n')[0]?.slice(0, 80) || undefined
