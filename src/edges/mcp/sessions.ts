import { resolve } from 'node:path'
import type { App } from '../../app/app.ts'
import { inNoChat, SessionId, type NewSession, type Session } from '../../domain/session/schema.ts'
import { hasEnded } from '../../domain/session/status.ts'
import type { TokenId, UserId } from '../../domain/user/id.ts'
import type { Clock } from '../../lib/clock.ts'
import { newRandomId } from '../../lib/id.ts'
import type { Logger } from '../../lib/log.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { systemViewer, type AgentActor, type AttachedSession, type Link } from './link.ts'

/** Authenticated by the HTTP edge. `sessionId` is set if the token is bound to one session. */
export type McpCaller = {
  readonly userId: UserId
  readonly tokenId: TokenId | null
  readonly sessionId: SessionId | null
  readonly listener: 'tcp' | 'socket'
}

export type WorkspaceNamed = { id: string; path: string | null; channelId: string | null }

export type Rebinding = {
  /** Continues another session; the caller's current one ends. */
  rebind(link: Link, to: SessionId): Promise<Result<void>>
}

/** `alone`: the request belongs to no connection. `agent`: the client's own name. */
export type Introduction = { readonly alone?: boolean; readonly agent?: string | null }

export type McpSessions = Rebinding & {
  /** The session this caller means, started if there is none. */
  attach(caller: McpCaller, query: URLSearchParams, how?: Introduction): Promise<Result<AttachedSession>>
  /** The client closed the session's last connection. */
  goodbye(attached: AttachedSession): Promise<void>
  /** The session a caller names, if it exists and is theirs; none is started. */
  find(caller: McpCaller, query: URLSearchParams): Promise<Result<AttachedSession>>
  /** Records contact: any request counts. */
  seen(id: SessionId): void
  /** Its stream is gone, or it is back (X2). */
  connected(id: SessionId, to: 'online' | 'offline'): Promise<void>
  /** Sessions with contact since then. */
  seenSince(time: number): ReadonlySet<SessionId>
  /** Recovers a session whose client was thought lost. Gives the refusal if its access was revoked. */
  back(session: Session, link: Link): Promise<Failed | null>
}

/** What the transport needs of sessions. */
export type TransportSessions = Pick<McpSessions, 'attach' | 'find' | 'goodbye' | 'seen' | 'connected'>

export function createMcpSessions(deps: {
  app: App
  clock: Clock
  log: Logger
  defaultWorkspace: string | null
  workspaces: () => readonly WorkspaceNamed[]
  locateWorkspace(path: string): Promise<Result<{ path: string }>>
}): McpSessions {
  const { app, clock, log } = deps
  const starting = new Map<string, Promise<Result<Session>>>()
  const contact = new Map<SessionId, number>()

  const whose = ({ userId, tokenId }: McpCaller): string => `${userId} ${tokenId}`

  const actorOf = ({ userId, tokenId }: McpCaller, sessionId: SessionId | null): AgentActor => ({
    kind: 'agent',
    userId,
    tokenId,
    sessionId,
  })

  /** The session that continues an ended one: what its client recovered as, or the live end of its lineage. */
  async function continuationOf(session: Session): Promise<Session> {
    if (!hasEnded(session.status)) return session
    const lineage = await app.read.lineage(session.id)
    for (const id of [await app.read.recoveredAs(session.id), lineage.at(-1)]) {
      const found = id === undefined ? null : await app.read.session(systemViewer, id)
      const isSame = found?.ok && found.value.ownerUserId === session.ownerUserId
      if (isSame && !hasEnded(found.value.status)) return found.value
    }
    return session
  }

  async function existing(caller: McpCaller, id: SessionId): Promise<Result<Session> | null> {
    const found = await app.read.session(systemViewer, id)
    if (!found.ok) return null
    const session = found.value
    const token = await app.read.tokenOfSession(id)
    // A caller on the local socket owns the server's files; a token reaches only sessions it started.
    const mine = session.ownerUserId === caller.userId && (caller.tokenId === null || token === caller.tokenId)
    // A caller must not learn that another's session exists.
    return caller.sessionId === id || mine ? ok(await continuationOf(session)) : notFound('session', id)
  }

  async function chosen(caller: McpCaller, query: URLSearchParams, how: Introduction): Promise<Result<Session>> {
    const wanted = query.get('session_id')
    const id = wanted === null ? null : SessionId.safeParse(wanted)
    if (id !== null && !id.success) return fail({ ...invalidId, message: `Invalid session_id ${wanted}.` })
    if (caller.sessionId !== null) {
      const own = await existing(caller, caller.sessionId)
      if (own === null) return notFound('session', caller.sessionId)
      if (!own.ok || id === null || id.data === own.value.id) return own
      const lineage = await app.read.lineage(own.value.id)
      return lineage.includes(id.data) ? own : notFound('session', id.data)
    }
    if (id !== null) {
      const found = await existing(caller, id.data)
      return (
        found ??
        once(`${whose(caller)} session ${id.data}`, () => start(caller, query, id.data, { ...how, alone: false }))
      )
    }
    if (!how.alone) return start(caller, query, newRandomId<SessionId>(), how)
    const workspace = await workspaceOf(caller, query)
    if (!workspace.ok) return workspace
    return once(`${whose(caller)} ${workspace.value.path}`, async () => {
      const shared = await app.read.sharedSession(caller.userId, caller.tokenId, workspace.value.path)
      return shared === null ? start(caller, query, newRandomId<SessionId>(), how) : ok(shared)
    })
  }

  /** Concurrent requests for the same session start one. */
  function once(key: string, begin: () => Promise<Result<Session>>): Promise<Result<Session>> {
    const running = starting.get(key) ?? begin().finally(() => starting.delete(key))
    starting.set(key, running)
    return running
  }

  async function workspaceOf(
    caller: McpCaller,
    query: URLSearchParams,
  ): Promise<Result<{ path: string; channelId: string | null }>> {
    const name = query.get('workspace_id')
    const given = query.get('workspace')
    const mapping = name === null ? undefined : deps.workspaces().find(({ id }) => id === name)
    if (name !== null && !mapping) return fail(unknownWorkspace(name, deps.workspaces()))
    if (given !== null && caller.listener !== 'socket') return fail(onlyLocally)
    const path = given ?? mapping?.path ?? deps.defaultWorkspace
    if (path === null) return fail(workspaceRequired)
    // Check permission before the disk, so that callers can't probe for paths.
    const refused = await mayWork(caller, path)
    if (refused) return refused
    const located = await deps.locateWorkspace(path)
    return located.ok ? ok({ path: located.value.path, channelId: mapping?.channelId ?? null }) : located
  }

  async function mayWork(caller: McpCaller, path: string): Promise<Failed | null> {
    const session = { ...nothing, ...whoseIs(caller), id: newRandomId<SessionId>(), workspaceRoot: resolve(path) }
    const command = { type: 'session.start' as const, session, active: true, restartOf: null }
    const checked = await app.check(command, actorOf(caller, null))
    return checked !== null && checked !== 'repeated' && checked.fault.kind === 'forbidden' ? checked : null
  }

  async function start(
    caller: McpCaller,
    query: URLSearchParams,
    id: SessionId,
    { alone = false, agent = null }: Introduction,
  ): Promise<Result<Session>> {
    const workspace = await workspaceOf(caller, query)
    if (!workspace.ok) return workspace
    const session: NewSession = {
      ...nothing,
      ...whoseIs(caller),
      id,
      workspaceRoot: workspace.value.path,
      channelId: workspace.value.channelId,
      agent: agent === null ? null : agent.slice(0, 200),
      client: alone ? 'alone' : 'connection',
    }
    const started = await app.dispatch(
      { type: 'session.start', session, active: true, restartOf: null },
      actorOf(caller, null),
    )
    if (started.ok) return app.read.session(systemViewer, id)
    // Another request created it first: usable only if it is the same caller's.
    return started.fault.code === 'session_already_exists' ? ((await existing(caller, id)) ?? started) : started
  }

  async function mayContinue(id: SessionId, actor: AgentActor): Promise<Failed | null> {
    const checked = await app.check({ type: 'session.touch', id, tool: null }, actor)
    return checked !== null && checked !== 'repeated' && checked.fault.kind === 'forbidden' ? checked : null
  }

  /** A returning client's session is active again (R24). */
  async function awake(session: Session, actor: AgentActor): Promise<Failed | null> {
    if (session.status !== 'interrupted') return null
    const recovered = await app.dispatch(
      { type: 'session.recover', id: session.id, reason: 'its client is back' },
      actor,
    )
    return recovered.ok || recovered.fault.code === 'illegal_transition' ? null : recovered
  }

  return {
    async attach(caller, query, how = {}) {
      const session = await chosen(caller, query, how)
      if (!session.ok) return session
      const actor = actorOf(caller, session.value.id)
      // Access may have been revoked since the session started.
      const barred = await mayContinue(session.value.id, actor)
      if (barred) return barred
      contact.set(session.value.id, clock.now())
      const refused = session.value.protocolMode === 'mcp' ? await awake(session.value, actor) : null
      return refused ?? ok({ sessionId: session.value.id, actor, bound: caller.sessionId !== null })
    },
    async find(caller, query) {
      const id = SessionId.safeParse(query.get('session_id'))
      const found = id.success ? await existing(caller, id.data) : null
      if (found === null) return notFound('session', query.get('session_id') ?? '')
      if (!found.ok) return found
      const sessionId = found.value.id
      return ok({ sessionId, actor: actorOf(caller, sessionId), bound: caller.sessionId !== null })
    },
    seen: (id) => void contact.set(id, clock.now()),
    async connected(id, connectivity) {
      const done = await app.dispatch({ type: 'session.connect', id, connectivity }, mcp)
      if (!done.ok) log.debug({ sessionId: id, code: done.fault.code }, 'a lost connection was not recorded')
    },
    seenSince(time) {
      for (const [id, at] of contact) if (at < time) contact.delete(id)
      return new Set(contact.keys())
    },
    async back(session, { actor }) {
      const barred = await mayContinue(session.id, actor)
      return barred ?? (session.protocolMode === 'mcp' ? awake(session, actor) : null)
    },
    async goodbye({ sessionId, actor }) {
      const session = await app.read.session(systemViewer, sessionId)
      if (!session.ok || session.value.protocolMode !== 'mcp' || hasEnded(session.value.status)) return
      // A client that leaves while an ask is open did not finish: ask and session stay.
      const type = session.value.waiting ? 'session.interrupt' : 'session.complete'
      const reason = session.value.waiting ? 'its client left while an ask was open' : null
      const done = await app.dispatch({ type, id: sessionId, reason }, actor)
      if (!done.ok) log.info({ sessionId, code: done.fault.code }, 'the end of a connection was not received')
    },
    async rebind(link, to) {
      const lineage = await app.read.lineage(link.sessionId)
      if (lineage.includes(to)) return ok(undefined)
      const target = await app.read.session(systemViewer, to)
      // An ended session is only read, not continued.
      if (target.ok && hasEnded(target.value.status)) return ok(undefined)
      const done = await app.dispatch({ type: 'session.rejoin', id: link.sessionId, to }, link.actor)
      if (!done.ok) return done
      link.sessionId = to
      link.actor = { ...link.actor, sessionId: to }
      if (link.connectionId !== null) await app.connections.move(link.connectionId, to)
      return ok(undefined)
    },
  }
}

const nothing = {
  protocolMode: 'mcp' as const,
  repoId: null,
  prompt: null,
  mode: 'remote' as const,
  ...inNoChat,
  isolation: null,
  workspaceClaimed: false,
  agent: null,
  metadata: {},
}

const mcp = { kind: 'system' as const, name: 'mcp' }

const whoseIs = ({ userId, tokenId }: McpCaller) => ({ ownerUserId: userId, tokenId })

const invalidId = { kind: 'invalid' as const, code: 'invalid_session_id', hint: 'Use a UUID, or leave it out.' }

const onlyLocally = {
  kind: 'forbidden' as const,
  code: 'workspace_not_allowed',
  message: 'A workspace can be named by its path only on the same machine, over the local socket.',
  hint: 'Use ?workspace_id= and a [[workspace]] in config.toml.',
}

const workspaceRequired = {
  kind: 'invalid' as const,
  code: 'workspace_required',
  message: 'No workspace is set for this session.',
  hint: 'Add ?workspace_id= to the address, or set workspace_root in config.toml.',
}

const unknownWorkspace = (id: string, known: readonly WorkspaceNamed[]) => ({
  kind: 'not_found' as const,
  code: 'unknown_workspace',
  message: `No such workspace: ${id}.`,
  hint:
    known.length === 0 ? 'Add it as [[workspace]] in config.toml.' : `Known: ${known.map((one) => one.id).join(', ')}.`,
})
