import type { AgentStart } from '../../../app/hosting.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Keeper, KeeperLink } from '../../../keeper-client/client.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { newId, newRandomId } from '../../../lib/id.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'

import type { Launch } from '../launch/launch.ts'
import type { AgentDefinition } from '../launch/presets.ts'
import { systemViewer, system } from '../actor.ts'
import { settleFailedStart, type Stopping } from './failed-start.ts'
import { handshakeOf, type HostDeps, type DriverRegistry } from './driver-registry.ts'

type Prepared = {
  agent: AgentDefinition
  launch: Launch
  keeper: Keeper
  worktree: { path: string; branch: string; repo: string } | null
}

/** Starts and recovers agents. */
export function createStarter(deps: HostDeps & Stopping, registry: DriverRegistry, link: KeeperLink) {
  const { app, clock } = deps

  async function prepare(
    id: SessionId,
    workspace: string,
    name: string | null,
    input: { isolation: AgentStart['isolation']; worktree: { repo: string; name: string; fresh: boolean } | null },
  ): Promise<Result<Prepared>> {
    const agent = registry.definitionOf(name)
    if (!agent.ok) return agent
    const { worktree } = input
    const repo = worktree?.repo ?? workspace
    const tree = worktree && (await deps.addWorktree(repo, worktree.name, worktree.fresh))
    if (tree && !tree.ok) return tree
    const place = tree?.value.path ?? workspace
    const launch = await deps.launch(agent.value, id, place, input.isolation)
    const without = async (failed: Failed) => {
      if (tree) await registry.freeWorktree(repo, place)
      return failed
    }
    if (!launch.ok) return without(launch)
    const keeper = await link.ensure()
    if (!keeper.ok) return without(keeper)
    const checkout = tree && { path: tree.value.path, branch: tree.value.branch, repo }
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
    const authMethod = input.authMethod ?? before?.authMethod ?? null
    return { source, tree, authMethod, continues: before?.agentSessionId ?? null, forks: forkOf !== null }
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

  async function revive(id: SessionId): Promise<Result<void>> {
    const found = await app.read.session(systemViewer, id)
    if (!found.ok) return found
    const refused = await app.check({ type: 'session.recover', id, reason: null }, system)
    if (refused !== null && refused !== 'repeated') return refused
    const { status, workspaceRoot, agent: name, isolation } = found.value
    const { agentSessionId: continues, authMethod, budget, worktree } = await registry.aboutOf(id)
    const prepared = await prepare(id, workspaceRoot, name, { isolation, worktree: worktree && treeOf(worktree) })
    if (!prepared.ok) return prepared
    const { agent, launch } = prepared.value
    const childId = newChildId(id)
    const child = await spawn(prepared.value, childId, id)
    if (!child.ok) return child
    const keeper = child.value
    const heard = await registry.lastHeard(id)
    await registry.disown(id)
    await app.dispatch({ type: 'agent.host', id, nodeId: deps.nodeId }, system)
    const driver = registry.drive({ id, childId, status, agent, launch, keeper })
    if (agent.quirks.loadAfterMinute) await nextMinute(clock, heard)
    const handshake = handshakeOf(agent, launch, { authMethod, continues, forks: false, budget, worktree })
    const begun = await driver.begin(handshake, 'session.recover', iso(heard))
    return begun.ok ? begun : fail((await settleFailedStart(deps, id, begun.fault)).fault)
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
        ...(input.fromCheckpoint !== undefined && { fromCheckpoint: input.fromCheckpoint }),
        ...(input.forkOf !== null && { forkOf: input.forkOf }),
      }
      // Check first: nothing is started for a caller who would be refused.
      const first = await app.check(command, actor, once)
      // Of two requests at once, the other may have created the session during this check.
      const refused = isTaken(first) ? await app.check(command, actor, once) : first
      if (refused === 'repeated') {
        const before = await app.dispatch(command, actor, once)
        return before.ok ? repeated(before.value.subject as SessionId) : before
      }
      if (refused) return refused
      const { source, tree, authMethod, continues, forks } = await originOf(input)
      const { workspaceRoot: wanted, agent: name } = input.session
      const prepared = await prepare(id, wanted, name, { isolation: input.isolation, worktree: tree })
      if (!prepared.ok) return prepared
      const { agent, launch, worktree } = prepared.value
      const { cwd: workspaceRoot, isolation } = launch
      const session = { ...input.session, agent: agent.name, workspaceRoot, isolation }
      // Only now is it known whether the agent would run as the server's user.
      const unfit = await app.check({ ...command, session }, actor)
      if (unfit !== null && unfit !== 'repeated' && unfit.fault.kind === 'forbidden') {
        await undo(id, prepared.value, null)
        return unfit
      }
      const childId = newChildId(id)
      // The process comes before the session, so that a failed start leaves no session.
      const child = await spawn(prepared.value, childId, id)
      if (!child.ok) {
        await undo(id, prepared.value, null)
        return child
      }
      const keeper = child.value
      const started = await app.dispatch(
        { ...command, session: { ...session, worktreeOf: worktree?.repo ?? null }, network: launch.network },
        actor,
        once,
      )
      if (!started.ok || started.value.repeated) {
        await undo(id, { ...prepared.value, keeper }, childId)
        return started.ok ? repeated(started.value.subject as SessionId) : started
      }
      const driver = registry.drive({ id, childId, status: 'created', agent, launch, keeper })
      if (restartOf !== null) await registry.gone(restartOf)
      if (source !== null && agent.quirks.loadAfterMinute) await nextMinute(clock, await registry.lastHeard(source))
      const budget = input.budget ?? (agent.budgetUsd === null ? null : { costUsd: agent.budgetUsd, tokens: null })
      const handshake = handshakeOf(agent, launch, { authMethod, continues, forks, budget, worktree })
      const begin = driver.begin(handshake, 'session.activate').finally(() => beginning.delete(id))
      beginning.set(id, begin)
      const begun = await begin
      if (begun.ok) return ok(id)
      const { fault, hasFailed } = await settleFailedStart(deps, id, begun.fault)
      if (hasFailed && worktree) await registry.freeWorktree(worktree.repo, worktree.path)
      return fail(fault)
    },

    /** Gives an interrupted session a new process, which resumes the old conversation if it can. */
    async recover(id: SessionId): Promise<Result<void>> {
      if (recovering.has(id) || registry.get(id)) return fail(underWay)
      recovering.add(id)
      try {
        return await revive(id)
      } finally {
        recovering.delete(id)
      }
    },
  }
}

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
const treeOf = ({ repo, path }: { repo: string; path: string }) => ({
  repo,
  name: path.slice(-8),
  fresh: false,
})

/** Some agents name a conversation's file after the minute, and overwrite it if it is loaded within that minute. */
async function nextMinute(clock: Clock, last: number): Promise<void> {
  const minute = 60_000
  const from = (Math.floor(last / minute) + 1) * minute + 500
  if (clock.now() < from) await new Promise<void>((resolve) => clock.at(from, resolve))
}
