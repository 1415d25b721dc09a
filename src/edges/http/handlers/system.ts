import { shownEvent } from '../../../app/events.ts'
import { api } from '../../../client/contract.ts'
import type { Check, ConfigInForce } from '../../../client/contract/system.ts'
import { comparePlaces, parseCursor, start, type Place } from '../../../domain/audit/cursor.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { newSecret, sha256 } from '../../../lib/secret.ts'
import type { EventStream } from '../event-stream.ts'
import { alreadySent } from '../respond.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'
import type { Agents } from './agents.ts'
import { shownOnce, selfOf } from './people.ts'

export type ServerFacts = {
  version: string
  address: string
  socket: string | null
  dataDirectory: string
  database: 'sqlite' | 'postgres'
  startedAt: string
}

export type SystemDeps = {
  clock: Clock
  stream: EventStream
  facts: () => ServerFacts
  doctor: () => Promise<Check[]>
  config: () => ConfigInForce
  loginCookie(value: string | null): string
  agents: Pick<Agents, 'live'>
  stop(agents: 'end' | 'keep'): void
}

const exportPage = 1000

export function mountSystem(web: Web, deps: RouteDeps, system: SystemDeps): void {
  const { app } = deps

  mount(web, deps, api.searchAudit, async ({ query }, { caller }) => {
    const before = query.before === undefined ? ok(undefined) : parseCursor(query.before)
    if (!before.ok) return before
    const { session, type, limit, before: _cursor, ...rest } = query
    const found = await app.read.audit(caller.standing, {
      ...rest,
      sessionId: session,
      types: type,
      limit,
      before: before.value,
    })
    if (!found.ok) return found
    const last = found.value.length === limit ? found.value.at(-1) : undefined
    return ok({ events: found.value.map(shownEvent), next: last?.cursor ?? null })
  })

  mount(web, deps, api.exportAudit, async ({ query }, { caller, again, requestId }) => {
    const person = await app.read.isPerson(caller.standing)
    if (!person.ok) return person
    const { session, type, ...rest } = query
    const filter = { ...rest, sessionId: session, types: type }
    let place: Place = start
    // Page by page as the client reads: the log may be larger than memory.
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const still = await again()
        const page = still.ok ? await app.read.events(still.value.standing, place, exportPage, filter) : still
        if (!page.ok) return controller.error(new Error(page.fault.code))
        const events = page.value
        if (events.length > 0) {
          place = events.at(-1)?.place ?? place
          controller.enqueue(Buffer.from(events.map((event) => `${JSON.stringify(shownEvent(event))}\n`).join('')))
        }
        if (events.length < exportPage) controller.close()
      },
    })
    return new Response(body, {
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="signalbox-audit.ndjson"',
        'cache-control': 'no-store',
        'x-request-id': requestId,
      },
    })
  })

  mount(web, deps, api.streamEvents, async ({ query }, { caller, context }) => {
    const cursor = context.req.header('last-event-id') ?? query.after
    const after = cursor === undefined ? ok(null) : parseCursor(cursor)
    if (!after.ok) return after
    if (after.value !== null) {
      const newest = await app.read.newestPlace()
      if (newest !== null && comparePlaces(after.value, newest) > 0) return fail(cursorAhead)
    }
    const { session, type, live } = query
    const filter = { sessionId: session, types: type, live, looking: query.looking === 'true' }
    void system.stream.open(context.env.outgoing, caller, after.value, filter).catch((error: unknown) => {
      deps.log.error({ error: String(error) }, 'an event reader failed')
      context.env.outgoing.destroy()
    })
    return alreadySent()
  })

  mount(web, deps, api.getStatus, async (_input, { caller }) => {
    // Agents must not learn paths.
    const person = await app.read.isPerson(caller.standing)
    if (!person.ok) return person
    const sessions = await app.read.sessions(caller.standing, {
      statuses: ['created', 'active', 'paused', 'interrupted'],
      limit: mostCounted,
      offset: 0,
    })
    if (!sessions.ok) return sessions
    const openAsks = await app.read.openAsks(caller.standing)
    if (!openAsks.ok) return openAsks
    const letters = await app.deadLetters.list()
    const { socket, dataDirectory, ...facts } = system.facts()
    return ok({
      ...facts,
      ...(app.read.seesPaths(caller.standing) ? { socket, dataDirectory } : { socket: null, dataDirectory: null }),
      pid: process.pid,
      sessions: sessions.value.total,
      activities: countsOf(sessions.value.sessions),
      agentsRunning: system.agents.live(),
      openAsks: openAsks.value,
      deadLetters: letters.length,
    })
  })

  mount(web, deps, api.getDoctor, async (_input, { caller }) => {
    const allowed = await app.read.users(caller.standing)
    return allowed.ok ? ok({ checks: await system.doctor() }) : allowed
  })

  mount(web, deps, api.getConfig, async (_input, { caller }) => {
    const allowed = await app.read.users(caller.standing)
    return allowed.ok ? ok(system.config()) : allowed
  })

  mount(web, deps, api.stopServer, async ({ body }, { caller }) => {
    const allowed = await app.read.mayAdminister(caller.standing)
    if (!allowed.ok) return allowed
    const live = system.agents.live()
    system.stop(body.agents)
    return ok({ agents: body.agents, live })
  })

  mount(web, deps, api.listDeadLetters, async (_input, { caller }) => {
    const allowed = await app.read.users(caller.standing)
    return allowed.ok ? ok({ deadLetters: await app.deadLetters.list() }) : allowed
  })
  mount(web, deps, api.retryDeadLetter, async ({ params }, { caller }) => {
    const allowed = await app.read.mayAdminister(caller.standing)
    return allowed.ok ? app.deadLetters.retry(params.id) : allowed
  })

  mount(web, deps, api.createLoginLink, async ({ body }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const code = newSecret('')
    const expiresAt = iso(system.clock.now() + 10 * 60 * 1000)
    const command = {
      type: 'login.offer' as const,
      userId: body.userId ?? self.value,
      linkHash: sha256(code),
      expiresAt,
    }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok
      ? shownOnce(done.value.repeated, { url: `${system.facts().address}/login?code=${code}`, expiresAt })
      : done
  })

  mount(web, deps, api.logout, async (_input, { caller, requestId }): Promise<Result<never> | Response> => {
    if (caller.cookieHash !== null) {
      await app.dispatch({ type: 'login.end', cookieHash: caller.cookieHash }, caller.actor)
      deps.auth.forget()
    }
    return new Response('{"loggedOut":true}', {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'set-cookie': system.loginCookie(null),
        'x-request-id': requestId,
      },
    })
  })
}

const cursorAhead = {
  kind: 'invalid' as const,
  code: 'bad_cursor',
  message: 'This cursor is past the end of the log. It is from another server, or from before a backup was restored.',
  hint: 'Read the current state again, then follow without a cursor.',
}

const mostCounted = 1000

/** By what they are doing, else by their status. */
function countsOf(sessions: readonly Session[]): Record<string, number> {
  const groups = Map.groupBy(sessions, ({ activity, status }) => activity ?? status)
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.length]))
}
