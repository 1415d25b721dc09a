import { api } from '../../../client/contract.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { jsonChunks, streamOf } from '../chunked-json.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'
import type { Agents } from './agents.ts'
import { sessionAsMarkdown } from './session-markdown.ts'

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

  mount(web, deps, api.diagnoseSession, ({ params }, { caller }) =>
    app.read.diagnosis(caller.standing, params.id, { now: clock.now(), silentAfterMs }),
  )

  mount(web, deps, api.searchMessages, async ({ query }, { caller }) => {
    const { q, session, limit } = query
    const messages = await app.read.searchMessages(caller.standing, { q, sessionId: session, limit })
    return messages.ok ? ok({ messages: messages.value }) : messages
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
