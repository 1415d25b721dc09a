import { authorizeAction } from '../../../app/authorize-action.ts'
import type { HandOver } from '../../../app/use-cases/hand-over.ts'
import type { Sessions } from '../../../app/use-cases/start-session.ts'
import { api } from '../../../client/contract.ts'
import { MessageId } from '../../../domain/message/schema.ts'
import type { ListingCommand, SessionCommand, SessionId } from '../../../domain/session/schema.ts'
import { newId } from '../../../lib/id.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { callerOf, mount, type ApiCall, type EndpointHandler, type RouteDeps, type Web } from '../route.ts'
import { RepoId } from '../../../domain/workspace/schema.ts'

export type SessionRouteDeps = {
  sessions: Sessions
  handOver: HandOver
  /** Resolves when the agent has ended. */
  gone(id: SessionId): Promise<void>
}

type SessionMove = Extract<SessionCommand, { reason: string | null }>['type']

export function mountSessions(web: Web, deps: RouteDeps, { sessions, handOver, gone }: SessionRouteDeps): void {
  const { app } = deps
  const shown = async (call: ApiCall, id: SessionId) => app.read.session(call.caller.standing, id)
  const detail = async (call: ApiCall, id: SessionId) => app.read.sessionDetail(call.caller.standing, id)

  const listSessions: EndpointHandler<typeof api.listSessions> = async ({ query }, { caller }) => {
    const before = pageStart(query.before)
    if (!before.ok) return before
    const { repoId, status, limit, offset, q, agent, agentGroupId, protocol, connectivity } = query
    const page = await app.read.sessions(caller.standing, {
      repoId,
      statuses: status,
      q,
      since: query.since,
      until: query.until,
      agent,
      agentGroupId,
      protocols: protocol,
      archived: query.archived === 'true' ? 'only' : query.archived,
      pinned: query.pinned === 'true',
      waiting: query.waiting === 'true',
      connectivity,
      limit,
      offset,
      before: before.value,
    })
    if (!page.ok) return page
    const { sessions, total } = page.value
    const shown = query.view === 'full' ? await app.read.shownSessions(sessions, caller.standing) : sessions
    return ok({ sessions: shown, total, limit, offset, next: nextPage(sessions, limit) })
  }
  mount(web, deps, api.listSessions, listSessions, { cached: true })

  const shownAs = async (call: ApiCall, done: Result<SessionId>) => (done.ok ? shown(call, done.value) : done)

  mount(web, deps, api.startSession, async ({ body }, call) =>
    shownAs(call, await sessions.start(body, callerOf(call))),
  )
  mount(web, deps, api.restartSession, async ({ params, body }, call) =>
    shownAs(call, await sessions.continue(params.id, body, callerOf(call))),
  )
  mount(web, deps, api.forkSession, async ({ params, body }, call) =>
    shownAs(call, await sessions.fork(params.id, body, callerOf(call))),
  )
  mount(web, deps, api.handOverSession, async ({ params, body }, call) =>
    shownAs(call, await handOver(params.id, body, callerOf(call))),
  )
  mount(web, deps, api.recoverSession, async ({ params, body }, call) =>
    shownAs(call, await sessions.recover(params.id, body.reason, callerOf(call))),
  )

  const mountMove = (endpoint: typeof api.pauseSession, type: SessionMove) =>
    mount(web, deps, endpoint, async ({ params, body }, call) => {
      const done = await app.dispatch({ type, id: params.id, reason: body.reason }, call.caller.actor, {
        ...call.once,
      })
      if (!done.ok) return done
      if (type === 'session.complete' || type === 'session.terminate') await gone(params.id)
      return shown(call, params.id)
    })
  mountMove(api.pauseSession, 'session.pause')
  mountMove(api.resumeSession, 'session.resume')
  mountMove(api.completeSession, 'session.complete')
  mountMove(api.interruptSession, 'session.interrupt')
  mountMove(api.failSession, 'session.fail')
  mountMove(api.terminateSession, 'session.terminate')

  const listed = async (call: ApiCall, command: ListingCommand) => {
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? shown(call, command.id) : done
  }
  mount(web, deps, api.renameSession, ({ params, body }, call) =>
    listed(call, { type: 'session.rename', ...params, ...body }),
  )
  mount(web, deps, api.pinSession, ({ params, body }, call) =>
    listed(call, { type: 'session.pin', ...params, ...body }),
  )
  mount(web, deps, api.archiveSession, ({ params, body }, call) =>
    listed(call, { type: 'session.archive', ...params, ...body }),
  )

  mount(web, deps, api.cancelSession, async ({ params, query }, call) => {
    const reason = query.reason ?? null
    const done = await app.dispatch({ type: 'session.cancel', id: params.id, reason }, call.caller.actor)
    if (!done.ok) return done
    await gone(params.id)
    return shown(call, params.id)
  })

  mount(web, deps, api.getSession, async ({ params, query }, { caller }) => {
    const whole = await app.read.sessionDetail(caller.standing, params.id, query.messages)
    return whole.ok ? whole : app.read.sessionRow(caller.standing, params.id)
  })
  mount(web, deps, api.listMessages, ({ params, query }, { caller }) =>
    app.read.messages(caller.standing, params.id, query.since),
  )

  mount(web, deps, api.addMessage, async ({ params, body }, call) => {
    const done = await app.dispatch(
      { type: 'message.add', id: newId<MessageId>(), sessionId: params.id, role: body.role, content: body.content },
      call.caller.actor,
      call.once,
    )
    if (!done.ok) return done
    const id = MessageId.parse(done.value.subject)
    const [event] = done.value.events
    return ok({ id, sessionId: params.id, role: body.role, content: body.content, timestamp: event?.at ?? '' })
  })

  mount(web, deps, api.heartbeat, async ({ params, body }, call) => {
    const done = await app.dispatch({ type: 'session.touch', id: params.id, tool: body.tool }, call.caller.actor)
    return done.ok ? ok({ acknowledged: true as const }) : done
  })

  mount(web, deps, api.delegateSession, async ({ params }, call) => {
    const done = await app.dispatch({ type: 'session.delegate', ...params }, call.caller.actor)
    return done.ok ? detail(call, params.id) : done
  })
  mount(web, deps, api.listAllowances, async ({ params }, { caller }) => {
    const found = await app.read.allowances(caller.standing, params.id)
    return found.ok ? ok({ allowances: found.value }) : found
  })

  mount(web, deps, api.revokeAllowance, async ({ params }, { caller }) => {
    const done = await app.dispatch({ type: 'session.disallow', ...params }, caller.actor)
    if (!done.ok) return done
    const found = await app.read.allowances(caller.standing, params.id)
    return found.ok ? ok({ allowances: found.value }) : found
  })

  mount(web, deps, api.undelegateSession, async ({ params }, call) => {
    const done = await app.dispatch({ type: 'session.undelegate', ...params }, call.caller.actor)
    return done.ok ? ok({ ...params, delegated: false as const }) : done
  })
}

export type PracticeDeps = {
  sessions: Pick<Sessions, 'start'>
  /** The practice repo, created if it is missing. */
  practiceRepo(): Promise<Result<{ path: string }>>
}

const practiceActor = { kind: 'system' as const, name: 'practice' }
const practiceAgent = 'practice'
const practicePrompt = 'Show me around'
const tryPrompt = 'Say hello in one sentence, and name one file of this directory. Change nothing.'

/** A first session for people who have nothing set up yet. */
export function mountPractice(web: Web, deps: RouteDeps, { sessions, practiceRepo }: PracticeDeps): void {
  const { app } = deps

  mount(web, deps, api.startPractice, async ({ body }, call) => {
    const { actor, standing } = call.caller
    const person = await app.read.isPerson(standing)
    if (!person.ok) return person
    const refused = authorizeAction(actor, 'practice.start')
    if (refused) return refused
    const located = await practiceRepo()
    if (!located.ok) return located
    const repoId = await repoAt(call, located.value.path)
    if (!repoId.ok) return repoId
    const wanted = {
      protocolMode: 'acp' as const,
      repoId: repoId.value,
      prompt: body.agent === undefined ? practicePrompt : tryPrompt,
      agent: body.agent ?? practiceAgent,
      mode: 'remote' as const,
    }
    const started = await sessions.start({ ...wanted, worktree: false, metadata: {} }, callerOf(call))
    return started.ok ? app.read.session(standing, started.value) : started
  })

  /** Registered by the system, so that nobody needs a role for it. */
  async function repoAt({ caller }: ApiCall, path: string): Promise<Result<RepoId>> {
    const repos = await app.read.repos(caller.standing)
    if (!repos.ok) return repos
    const known = repos.value.find((repo) => repo.path === path)
    if (known) return ok(known.id)
    const id = newId<RepoId>()
    const done = await app.dispatch({ type: 'repo.register', id, name: 'signalbox-practice', path }, practiceActor)
    if (done.ok) return ok(RepoId.parse(done.value.subject))
    // Registered by someone else in the meantime.
    const found = RepoId.safeParse(done.fault.details?.['repoId'])
    return found.success ? ok(found.data) : done
  }
}
