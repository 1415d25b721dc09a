import type { AgentStart } from '../../../app/hosting.ts'
import { isAbsolute, resolve } from 'node:path'
import { api } from '../../../client/contract.ts'
import type { CheckpointId } from '../../../domain/checkpoint/id.ts'
import { MessageId } from '../../../domain/message/schema.ts'
import type { NewSession, SessionCommand, SessionId } from '../../../domain/session/schema.ts'
import { newId, newRandomId } from '../../../lib/id.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { mount, type Call, type RouteDeps, type Web } from '../route.ts'
import { steer, type Agents } from './agents.ts'

export type SessionDeps = {
  defaultWorkspace: string | null
  /** The repo's real place now, or why it may not be used. */
  locateRepo(path: string): Promise<Result<{ path: string }>>
  /** The same for a directory that need not be a repo. */
  locateWorkspace(path: string): Promise<Result<{ path: string }>>
  /** The same for an agent that connects to us, and may run on another machine. */
  locateNamed(path: string): Promise<Result<{ path: string }>>
  /** Whether the place of an earlier session is still what it was, and still allowed. */
  locateAgain(path: string): Promise<Result<void>>
  agents: Agents
}

type Move = Extract<SessionCommand, { reason: string | null }>['type']

export function mountSessions(web: Web, deps: RouteDeps, sessionDeps: SessionDeps): void {
  const { app } = deps
  const shown = async (call: Call, id: SessionId) => app.read.session(call.caller.standing, id)
  const detail = async (call: Call, id: SessionId) => app.read.sessionDetail(call.caller.standing, id)

  mount(web, deps, api.listSessions, async ({ query }, { caller }) => {
    const before = pageStart(query.before)
    if (!before.ok) return before
    const { repoId, status, limit, offset, q, agent, protocol, connectivity } = query
    const page = await app.read.sessions(caller.standing, {
      repoId,
      statuses: status,
      q,
      agent,
      protocols: protocol,
      waiting: query.waiting === 'true',
      connectivity,
      limit,
      offset,
      before: before.value,
    })
    if (!page.ok) return page
    const { sessions, total } = page.value
    const listed = query.view === 'full' ? await app.read.shownSessions(sessions) : sessions
    return ok({ sessions: listed, total, limit, offset, next: nextPage(sessions, limit) })
  })

  mount(web, deps, api.startSession, async ({ body }, call) => {
    if (body.protocolMode === 'terminal') return fail(cannotSpawn)
    const { actor } = call.caller
    if (!('userId' in actor))
      return fail({ kind: 'forbidden', code: 'not_authorised', message: 'A session needs an owner.' })
    const wanted = await wantedPlace(call, body)
    if (!wanted.ok) return wanted
    const asked: NewSession = {
      id: body.id ?? newRandomId(),
      ownerUserId: actor.userId,
      protocolMode: body.protocolMode,
      workspaceRoot: wanted.value,
      repoId: body.repoId ?? null,
      prompt: body.prompt ?? null,
      mode: body.mode,
      agent: body.agent ?? null,
      agentProvider: null,
      agentGroupId: null,
      messagingGroupId: null,
      threadId: null,
      channelId: null,
      threadTs: null,
      metadata: withoutOurs(body.metadata),
      isolation: body.protocolMode === 'acp' ? (body.isolation ?? null) : null,
      tokenId: actor.kind === 'agent' ? actor.tokenId : null,
    }
    // Asked before the disk is looked at: nobody else may feel around there.
    const command = { type: 'session.start' as const, session: asked, active: true, restartOf: null }
    const refused = await app.check(command, actor, call.once)
    if (refused && refused !== 'repeated') return refused
    const workspace = await located(asked)
    if (!workspace.ok) return workspace
    const session = { ...asked, workspaceRoot: workspace.value, repoId: body.repoId ?? (await repoAt(call, asked)) }
    if (body.protocolMode === 'mcp') return start(call, session, null)
    const { costUsd = null, tokens = null } = body.budget ?? {}
    return spawn(call, {
      session,
      restartOf: null,
      forkOf: null,
      actor,
      once: call.once,
      isolation: body.isolation ?? null,
      worktree: body.worktree,
      authMethod: body.authMethod ?? null,
      budget: body.budget === undefined ? null : { costUsd, tokens },
    })
  })

  mount(web, deps, api.restartSession, async ({ params, body }, call) => {
    const old = await app.read.session(call.caller.standing, params.id)
    if (!old.ok) return old
    const { protocolMode } = old.value
    if (protocolMode === 'terminal') return fail(cannotSpawn)
    const { id: _old, status: _status, prompt, ...kept } = old.value
    const { actor } = call.caller
    const checkpoint = body.checkpointId && (await app.read.checkpoint(call.caller.standing, body.checkpointId))
    if (checkpoint && !checkpoint.ok) return checkpoint
    const from = checkpoint ? { fromCheckpoint: checkpoint.value.id } : {}
    const session: NewSession = {
      ...pickContinued(kept),
      ...(checkpoint && { mode: checkpoint.value.sessionState.mode }),
      id: newRandomId(),
      // An agent that goes on has its history; the old prompt again would be said twice.
      prompt:
        body.prompt ?? (checkpoint ? checkpoint.value.sessionState.prompt : protocolMode === 'acp' ? null : prompt),
      tokenId: actor.kind === 'agent' ? actor.tokenId : null,
    }
    if (protocolMode === 'mcp') {
      const same = await sameName(session.workspaceRoot)
      return same.ok ? start(call, session, params.id, from) : same
    }
    const place = await sameWorkspace(call, old.value)
    if (!place.ok) return place
    return spawn(call, {
      session,
      restartOf: params.id,
      ...from,
      forkOf: null,
      actor,
      once: call.once,
      isolation: old.value.isolation,
      worktree: false,
      authMethod: null,
      budget: null,
    })
  })

  mount(web, deps, api.forkSession, async ({ params, body }, call) => {
    const old = await app.read.session(call.caller.standing, params.id)
    if (!old.ok) return old
    const { actor } = call.caller
    if (actor.kind !== 'person')
      return fail({ kind: 'forbidden', code: 'agents_may_not', message: "An agent's token may not do this." })
    if (old.value.protocolMode !== 'acp') return fail(cannotFork)
    if (old.value.ownerUserId !== actor.userId)
      return fail({ kind: 'forbidden', code: 'not_owner', message: 'Only the owner of a session copies it.' })
    const place = await sameWorkspace(call, old.value)
    if (!place.ok) return place
    const session: NewSession = {
      ...pickContinued(old.value),
      id: newRandomId(),
      ownerUserId: actor.userId,
      prompt: body.prompt ?? null,
      metadata: { ...old.value.metadata, forkOf: params.id },
      tokenId: null,
    }
    return spawn(call, {
      session,
      restartOf: null,
      forkOf: params.id,
      actor,
      once: call.once,
      isolation: old.value.isolation,
      worktree: body.worktree,
      authMethod: null,
      budget: null,
    })
  })

  async function spawn(call: Call, input: AgentStart) {
    const started = await sessionDeps.agents.start(input)
    return started.ok ? shown(call, started.value) : started
  }

  async function start(
    call: Call,
    session: NewSession,
    restartOf: SessionId | null,
    more: { fromCheckpoint?: CheckpointId } = {},
  ) {
    const command: SessionCommand = { type: 'session.start', session, active: true, restartOf, ...more }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? shown(call, done.value.subject as SessionId) : done
  }

  /** What the caller means; nothing of the disk is looked at yet. */
  async function wantedPlace(call: Call, body: { repoId?: RepoIdOf; workspaceRoot?: string | undefined }) {
    if (body.repoId !== undefined) {
      const repo = await app.read.repo(call.caller.standing, body.repoId)
      return repo.ok ? ok(repo.value.path) : repo
    }
    const path = body.workspaceRoot ?? sessionDeps.defaultWorkspace
    if (path === null) return fail(noWorkspace)
    return isAbsolute(path) ? ok(resolve(path)) : fail(relativeWorkspace)
  }

  /** The real directory, links resolved. A repo is where it was registered, or it is none. */
  async function located({ repoId, workspaceRoot, protocolMode }: NewSession): Promise<Result<string>> {
    if (repoId !== null) {
      const same = await sessionDeps.locateAgain(workspaceRoot)
      if (!same.ok) return same
    }
    const locate =
      repoId !== null
        ? sessionDeps.locateRepo
        : protocolMode === 'acp'
          ? sessionDeps.locateWorkspace
          : sessionDeps.locateNamed
    const found = await locate(workspaceRoot)
    return found.ok ? ok(found.value.path) : found
  }

  /** The repo registered there: what an agent of ours does in a worktree is still that repo's. */
  async function repoAt(call: Call, { workspaceRoot, protocolMode }: NewSession): Promise<NewSession['repoId']> {
    const repos = protocolMode === 'acp' ? await app.read.repos(call.caller.standing) : null
    return (repos?.ok && repos.value.find((repo) => repo.path === workspaceRoot)?.id) || null
  }

  /** What was allowed once is looked at again before another process is started there. */
  async function sameWorkspace(call: Call, { id, workspaceRoot }: { id: SessionId; workspaceRoot: string }) {
    const agent = await app.read.agentState(call.caller.standing, id)
    const repo = agent.ok ? agent.value.worktree?.repo : undefined
    const located = repo === undefined ? ok(undefined) : await sessionDeps.locateAgain(repo)
    return located.ok ? sessionDeps.locateAgain(workspaceRoot) : located
  }

  /** The same of an agent that connects to us. */
  async function sameName(workspaceRoot: string): Promise<Result<void>> {
    const named = await sessionDeps.locateNamed(workspaceRoot)
    if (!named.ok) return named
    return named.value.path === workspaceRoot ? ok(undefined) : sessionDeps.locateAgain(workspaceRoot)
  }

  const mountMove = (endpoint: typeof api.pauseSession, type: Move) =>
    mount(web, deps, endpoint, async ({ params, body }, call) => {
      const done = await app.dispatch({ type, id: params.id, reason: body.reason }, call.caller.actor, {
        ...call.once,
      })
      if (!done.ok) return done
      if (type === 'session.complete' || type === 'session.terminate') await sessionDeps.agents.gone(params.id)
      return shown(call, params.id)
    })
  mountMove(api.pauseSession, 'session.pause')
  mountMove(api.resumeSession, 'session.resume')
  mountMove(api.completeSession, 'session.complete')
  mountMove(api.interruptSession, 'session.interrupt')
  mountMove(api.failSession, 'session.fail')
  mountMove(api.terminateSession, 'session.terminate')

  mount(web, deps, api.cancelSession, async ({ params, query }, call) => {
    const reason = query.reason ?? null
    const done = await app.dispatch({ type: 'session.cancel', id: params.id, reason }, call.caller.actor)
    if (!done.ok) return done
    await sessionDeps.agents.gone(params.id)
    return shown(call, params.id)
  })

  mount(web, deps, api.recoverSession, async ({ params, body }, call) => {
    const session = await shown(call, params.id)
    if (!session.ok) return session
    if (session.value.protocolMode !== 'acp') {
      const same = session.value.protocolMode === 'mcp' ? await sameName(session.value.workspaceRoot) : ok(undefined)
      if (!same.ok) return same
      const command = { type: 'session.recover' as const, id: params.id, reason: body.reason }
      const done = await app.dispatch(command, call.caller.actor, call.once)
      return done.ok ? shown(call, params.id) : done
    }
    const refused = await steer(deps, call, params.id, 'recover')
    if (refused) return refused
    const place = await sameWorkspace(call, session.value)
    if (!place.ok) return place
    const recovered = await sessionDeps.agents.recover(params.id)
    return recovered.ok ? shown(call, params.id) : recovered
  })

  mount(web, deps, api.getSession, ({ params, query }, { caller }) =>
    app.read.sessionDetail(caller.standing, params.id, query.messages),
  )
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
  mount(web, deps, api.undelegateSession, async ({ params }, call) => {
    const done = await app.dispatch({ type: 'session.undelegate', ...params }, call.caller.actor)
    return done.ok ? ok({ ...params, delegated: false as const }) : done
  })
}

/** What a successor has from its predecessor: owner, place, chat and thread (X4). */
/** What Signalbox itself notes of a session is not for callers to say. */
const ours: readonly string[] = ['reason', 'forkOf']
const withoutOurs = (metadata: NewSession['metadata']): NewSession['metadata'] =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !ours.includes(name)))

const pickContinued = (
  old: Omit<NewSession, 'id' | 'prompt' | 'tokenId'>,
): Omit<NewSession, 'id' | 'prompt' | 'tokenId'> => ({
  ownerUserId: old.ownerUserId,
  protocolMode: old.protocolMode,
  workspaceRoot: old.workspaceRoot,
  repoId: old.repoId,
  mode: old.mode,
  agent: old.agent,
  agentProvider: old.agentProvider,
  agentGroupId: old.agentGroupId,
  messagingGroupId: old.messagingGroupId,
  threadId: old.threadId,
  channelId: old.channelId,
  threadTs: old.threadTs,
  metadata: withoutOurs(old.metadata),
  isolation: old.isolation,
})

type RepoIdOf = NonNullable<NewSession['repoId']> | undefined

const cannotSpawn = {
  kind: 'unavailable' as const,
  code: 'agent_unavailable',
  message: "This Signalbox can't start terminal sessions yet.",
}

const cannotFork = {
  kind: 'conflict' as const,
  code: 'fork_not_offered',
  message: 'Only a session of an agent we host can go on from a copy.',
}

const noWorkspace = {
  kind: 'invalid' as const,
  code: 'workspace_required',
  message: 'A session needs a workspace.',
  hint: 'Send repoId or workspaceRoot, or set workspace_root in config.toml.',
}

const relativeWorkspace = {
  kind: 'invalid' as const,
  code: 'workspace_not_absolute',
  message: 'workspaceRoot must be an absolute path.',
}
