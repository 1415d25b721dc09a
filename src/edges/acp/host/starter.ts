import type { AgentStart } from '../../../app/hosting.ts'
import type { AgentAbout } from '../../../domain/agent/about.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { Keeper, KeeperLink } from '../../../keeper-client/client.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { newId, newRandomId } from '../../../lib/id.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'

import type { Activation } from '../driver/activation.ts'
import type { Notes, Opening } from '../transcript/recorder.ts'
import type { Launch } from '../launch/launch.ts'
import type { AgentDefinition } from '../launch/presets.ts'
import { systemViewer, system } from '../actor.ts'
import { settleFailedStart, type Stopping } from './failed-start.ts'
import type { MakeRoom } from './waker.ts'
import {
  handshakeOf,
  type ChosenAgent,
  type WorktreeOrigin,
  type HostDeps,
  type DriverRegistry,
  type SessionOwner,
} from './driver-registry.ts'

type Prepared = {
  agent: AgentDefinition
  launch: Launch
  keeper: Keeper
  worktree: AgentAbout['worktree']
}

type WantedTree = { repo: string; name: string; fresh: boolean; from?: WorktreeOrigin | null }

/** Starts and recovers agents. */
export type Starter = ReturnType<typeof createStarter>

export function createStarter(
  deps: HostDeps & Stopping,
  registry: DriverRegistry,
  link: KeeperLink,
  makeRoom: MakeRoom,
  /** It waits for its first process. */
  isQueued: (id: SessionId) => void,
) {
  const { app, clock } = deps

  async function prepare(
    id: SessionId,
    workspace: string,
    /** Its owner and agent group decide what a container is made from. */
    chosen: ChosenAgent & SessionOwner,
    input: { isolation: AgentStart['isolation']; worktree: WantedTree | null },
  ): Promise<Result<Prepared>> {
    const agent = await registry.agentFor(chosen)
    if (!agent.ok) return agent
    const { worktree } = input
    const repo = worktree?.repo ?? workspace
    const tree = worktree && (await deps.addWorktree(repo, worktree.name, worktree.fresh))
    if (tree && !tree.ok) return tree
    const place = tree?.value.path ?? workspace
    const launch = await deps.launch(agent.value, id, place, input.isolation, chosen)
    const without = async (failed: Failed) => {
      if (tree) await registry.freeWorktree(repo, place)
      return failed
    }
    if (!launch.ok) return without(launch)
    const keeper = await link.ensure()
    if (!keeper.ok) return without(keeper)
    const checkout = tree && {
      path: tree.value.path,
      branch: tree.value.branch,
      repo,
      from: worktree?.from ?? tree.value.from,
    }
    return ok({ agent: agent.value, launch: launch.value, keeper: keeper.value, worktree: checkout })
  }

  /** Gives the keeper that holds the process: a new one if the first has just died. */
  async function spawn({ keeper, launch }: Prepared, childId: string, id: SessionId): Promise<Result<Keeper>> {
    const { argv, cwd, env, relay } = launch
    const label = { session: id }
    const spec = { id: childId, argv, cwd, env, label, output: 'acknowledged' as const, ...(relay && { relay }) }
    let held = keeper
    let child = await held.spawn(spec)
    if (!child.ok && child.fault.code === 'keeper_gone') {
      await keeper.closed
      const another = await link.ensure()
      if (!another.ok) return another
      held = another.value
      child = await held.spawn(spec)
    }
    if (child.ok) return ok(held)
    return child.fault.code === 'agent_not_found' ? fail({ ...child.fault, code: 'agent_unavailable' }) : child
  }

  /** Leftovers of a keeper that is gone are ended when its loss is noticed. */
  async function dismiss(keeper: Keeper, childId: string): Promise<void> {
    const dismissed = keeper.end(childId, 0).then(() => keeper.forget(childId))
    await dismissed.catch((error: unknown) => deps.log.warn({ error: String(error) }, 'an agent could not be stopped'))
  }

  /** The conversation and the worktree that a new session continues. */
  async function originOf(input: AgentStart) {
    const { session, restartOf, forkOf, worktree } = input
    const source = restartOf ?? forkOf
    const before = source === null ? null : await registry.aboutOf(source)
    const again = restartOf !== null && before?.worktree
    const tree = again
      ? treeOf(again)
      : worktree
        ? { repo: session.workspaceRoot, name: session.id, fresh: true }
        : null
    const { conversation, chosen, anew } = input
    const known = anew ? null : before
    const opening: Opening = {
      authMethod: input.authMethod ?? known?.authMethod ?? null,
      continues: conversation ?? known?.agentSessionId ?? null,
      forks: forkOf !== null,
      takesUp: conversation !== undefined,
      ...(chosen && { chosen }),
    }
    return { source, tree, opening }
  }

  /** Cleans up after a session that was refused or never created. */
  async function undo(id: SessionId, { keeper, worktree }: Prepared, childId: string | null): Promise<void> {
    if (childId !== null) await dismiss(keeper, childId)
    if (!registry.get(id)) await deps.left(id)
    if (worktree) await registry.freeWorktree(worktree.repo, worktree.path)
  }

  const recovering = new Set<SessionId>()
  /** Starts in progress: a repeated request waits for the first. */
  const beginning = new Map<SessionId, Promise<Result<void>>>()

  async function repeated(id: SessionId): Promise<Result<SessionId>> {
    await beginning.get(id)
    return ok(id)
  }

  /** A new process for a session that has none. */
  async function revive(id: SessionId, how: Activation): Promise<Result<{ begun: Result<void> }>> {
    const found = await app.read.session(systemViewer, id)
    if (!found.ok) return found
    const { status, workspaceRoot, isolation } = found.value
    const about = await registry.aboutOf(id)
    const { authMethod, budget, worktree } = about
    const opening = await conversationOf(found.value, about.agentSessionId)
    const prepared = await prepare(id, workspaceRoot, found.value, {
      isolation,
      worktree: worktree && treeOf(worktree),
    })
    if (!prepared.ok) return prepared
    const { agent, launch } = prepared.value
    const childId = newChildId(id)
    const child = await spawn(prepared.value, childId, id)
    if (!child.ok) return child
    const keeper = child.value
    if (deps.stopping()) {
      await dismiss(keeper, childId)
      return fail(cutShort)
    }
    const heard = await registry.lastHeard(id)
    await registry.disown(id)
    const hosted = await app.dispatch({ type: 'agent.host', id, nodeId: deps.nodeId, childId }, system)
    if (!hosted.ok) {
      await dismiss(keeper, childId)
      return hosted
    }
    const known = status === 'created' ? {} : { known: about }
    const driver = registry.drive({ id, childId, status, agent, launch, owner: found.value, keeper, ...known })
    if (agent.quirks.loadAfterMinute) await nextMinute(clock, heard)
    const handshake = handshakeOf(agent, launch, { ...opening, authMethod, budget, worktree })
    return ok({ begun: await driver.begin(handshake, how, iso(heard)) })
  }

  /** The conversation that the next process of a session continues. */
  async function conversationOf(
    { id, status, restartOf, metadata }: Session,
    known: string | null,
  ): Promise<Omit<Opening, 'authMethod'>> {
    if (status === 'created') {
      const row = await app.read.agent(id)
      const opening = (row?.state as Partial<Notes> | undefined)?.opening
      return { continues: null, forks: false, ...opening }
    }
    const began = restartOf !== null || metadata['forkOf'] !== undefined || (await app.read.wasPrompted(id))
    return { continues: began ? known : null, forks: false }
  }

  type Checked = Awaited<ReturnType<typeof app.check>>
  /** Checks again for as long as the only reason against it is a slot that an idle agent can give up. */
  async function checked(id: SessionId, first: Checked, check: () => Promise<Checked>): Promise<Checked> {
    let found = first
    while (found !== null && found !== 'repeated' && !deps.stopping() && (await makeRoom(found.fault.code, id)))
      found = await check()
    return found
  }

  /** Dispatches; if all slots are taken, another agent that is idle is put to sleep. */
  async function withRoom<T>(id: SessionId, attempt: () => Promise<Result<T>>): Promise<Result<T>> {
    for (;;) {
      const done = await attempt()
      if (done.ok || deps.stopping() || !(await makeRoom(done.fault.code, id))) return done
    }
  }

  return {
    async start(input: AgentStart): Promise<Result<SessionId>> {
      const { restartOf, actor, once } = input
      const { id } = input.session
      const command = {
        type: 'session.start' as const,
        session: input.session,
        active: false,
        restartOf,
        promptItem: newId<QueueItemId>(),
        hostedBy: deps.nodeId,
        ...input.files,
        ...(input.fromCheckpoint !== undefined && { fromCheckpoint: input.fromCheckpoint }),
        ...(input.forkOf !== null && { forkOf: input.forkOf }),
      }
      // Check first: nothing is started for a caller who would be refused.
      const first = await app.check(command, actor, once)
      // Of two requests at once, the other may have created the session during this check.
      const again = isTaken(first) ? await app.check(command, actor, once) : first
      const refused = await checked(id, again, () => app.check(command, actor, once))
      if (refused === 'repeated') {
        const before = await app.dispatch(command, actor, once)
        return before.ok ? repeated(before.value.subject as SessionId) : before
      }
      if (refused && !isFull(refused)) return refused
      const { source, tree, opening } = await originOf(input)
      const { authMethod } = opening
      const { workspaceRoot: wanted } = input.session
      const prepared = await prepare(id, wanted, input.session, { isolation: input.isolation, worktree: tree })
      if (!prepared.ok) return prepared
      const { agent, launch, worktree } = prepared.value
      const { cwd: workspaceRoot, isolation } = launch
      const session = { ...input.session, agent: agent.name, workspaceRoot, isolation }
      // Only now is it known whether the agent would run as the server's user.
      const check = () => app.check({ ...command, session }, actor)
      const unfit = await checked(id, await check(), check)
      if (unfit !== null && unfit !== 'repeated' && unfit.fault.kind === 'forbidden') {
        await undo(id, prepared.value, null)
        return unfit
      }
      const budget = input.budget ?? (agent.budgetUsd === null ? null : { costUsd: agent.budgetUsd, tokens: null })
      const placed = {
        ...command,
        session: { ...session, worktreeOf: worktree?.repo ?? null },
        network: launch.network,
      }
      const queueUp = async (): Promise<Result<SessionId>> => {
        const queued = { about: { authMethod, budget, worktree }, state: { opening } }
        const waits = await app.dispatch({ ...placed, queued }, actor, once)
        if (!waits.ok && worktree) await registry.freeWorktree(worktree.repo, worktree.path)
        if (!waits.ok) return waits
        isQueued(id)
        return ok(waits.value.subject as SessionId)
      }
      const unkept = { ...prepared.value, worktree: null }
      if (unfit !== null && unfit !== 'repeated' && isFull(unfit)) {
        await undo(id, unkept, null)
        return queueUp()
      }
      const childId = newChildId(id)
      // The process comes before the session, so that a failed start leaves no session.
      const child = await spawn(prepared.value, childId, id)
      if (!child.ok) {
        await undo(id, prepared.value, null)
        return child
      }
      const keeper = child.value
      const started = await withRoom(id, () => app.dispatch({ ...placed, childId }, actor, once))
      // Others were faster.
      if (!started.ok && isFull(started)) {
        await undo(id, { ...unkept, keeper }, childId)
        return queueUp()
      }
      if (!started.ok || started.value.repeated) {
        await undo(id, { ...prepared.value, keeper }, childId)
        return started.ok ? repeated(started.value.subject as SessionId) : started
      }
      const driver = registry.drive({ id, childId, status: 'created', agent, launch, owner: input.session, keeper })
      if (restartOf !== null) await registry.gone(restartOf)
      if (source !== null && agent.quirks.loadAfterMinute) await nextMinute(clock, await registry.lastHeard(source))
      const handshake = handshakeOf(agent, launch, { ...opening, budget, worktree })
      const begin = driver.begin(handshake, 'session.activate').finally(() => beginning.delete(id))
      beginning.set(id, begin)
      const begun = await begin
      if (begun.ok) return ok(id)
      const { fault, hasFailed } = await settleFailedStart(deps, id, begun.fault)
      if (hasFailed && worktree) await registry.freeWorktree(worktree.repo, worktree.path)
      return fail(fault)
    },

    /** A new process for an agent that was asleep, queued or is restarted. `since`: which phase it is started for. */
    async wake(id: SessionId, since: string | null): Promise<Result<void>> {
      const found = await app.read.session(systemViewer, id)
      if (!found.ok) return found
      const revived = await revive(id, found.value.status === 'created' ? 'session.activate' : { wake: since })
      return revived.ok ? revived.value.begun : revived
    },

    /** Gives an interrupted session a new process, which resumes the old conversation if it can. */
    async recover(id: SessionId): Promise<Result<void>> {
      if (recovering.has(id) || registry.get(id)) return fail(underWay)
      recovering.add(id)
      try {
        // What the last process left in the workspace is being cleared up.
        await registry.gone(id)
        const command = { type: 'session.recover' as const, id, reason: null }
        const refused = await checked(id, await app.check(command, system), () => app.check(command, system))
        if (refused !== null && refused !== 'repeated') return refused
        const revived = await revive(id, 'session.recover')
        if (!revived.ok) return revived
        const { begun } = revived.value
        return begun.ok ? begun : fail((await settleFailedStart(deps, id, begun.fault)).fault)
      } finally {
        recovering.delete(id)
      }
    },
  }
}

/** All containers are taken: it can wait for one. */
const isFull = ({ fault }: Failed): boolean => fault.code === 'container_limit'

const cutShort = { kind: 'unavailable' as const, code: 'server_stopping', message: 'The server is stopping.' }

const underWay = {
  kind: 'conflict' as const,
  code: 'agent_running',
  message: "This session's agent is already running or starting.",
}

const isTaken = (checked: Failed | 'repeated' | null): boolean =>
  checked !== null && checked !== 'repeated' && checked.fault.code === 'session_already_exists'

/** Unique even if callers reuse session ids. */
const newChildId = (id: SessionId): string => `${id}.${newRandomId<string>().slice(0, 8)}`

/** A worktree that was removed is created again at its old path. */
const treeOf = ({ repo, path, from }: NonNullable<AgentAbout['worktree']>): WantedTree => ({
  repo,
  name: path.slice(-8),
  fresh: false,
  from,
})

/** Some agents name a conversation's file after the minute, and overwrite it if it is loaded within that minute. */
async function nextMinute(clock: Clock, last: number): Promise<void> {
  const minute = 60_000
  const from = (Math.floor(last / minute) + 1) * minute + 500
  if (clock.now() < from) await new Promise<void>((resolve) => clock.at(from, resolve))
}
