import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Keeper } from '../../keeper/client.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { KeeperLink } from './keeper-link.ts'
import type { Launch } from './launch/launch.ts'
import type { AgentDefinition } from './launch/presets.ts'
import { handshakeOf, seeing, system, type HostDeps, type Roster } from './roster.ts'
import type { StartInput } from './start-input.ts'

type Prepared = {
  agent: AgentDefinition
  launch: Launch
  keeper: Keeper
  worktree: { path: string; branch: string; repo: string } | null
}

/** From a wish to an agent at work. */
export function createStarting(deps: HostDeps, roster: Roster, link: KeeperLink) {
  const { app, clock } = deps

  async function prepare(
    id: SessionId,
    workspace: string,
    name: string | null,
    input: Pick<StartInput, 'isolation' | 'worktree'>,
  ): Promise<Result<Prepared>> {
    const agent = roster.definitionOf(name)
    if (!agent.ok) return agent
    const tree = input.worktree ? await deps.addWorktree(workspace, id) : null
    if (tree && !tree.ok) return tree
    const place = tree?.value.path ?? workspace
    const launch = await deps.launch(agent.value, id, place, input.isolation)
    if (!launch.ok) return launch
    const keeper = await link.ensure()
    if (!keeper.ok) return keeper
    const worktree = tree && { path: tree.value.path, branch: tree.value.branch, repo: workspace }
    return ok({ agent: agent.value, launch: launch.value, keeper: keeper.value, worktree })
  }

  async function spawn({ keeper, launch }: Prepared, childId: string, id: SessionId): Promise<Result<unknown>> {
    const { argv, cwd, env } = launch
    const child = await keeper.spawn({ id: childId, argv, cwd, env, label: { session: id }, output: 'acknowledged' })
    if (child.ok || child.fault.code !== 'agent_not_found') return child
    return fail({ ...child.fault, code: 'agent_unavailable' })
  }

  async function dismiss(keeper: Keeper, childId: string): Promise<void> {
    await keeper.end(childId, 0)
    await keeper.forget(childId)
  }

  const failed = (id: SessionId, message: string) =>
    app.dispatch({ type: 'session.fail', id, reason: message.slice(0, 2000) }, system)

  return {
    async start(input: StartInput): Promise<Result<SessionId>> {
      const { restartOf, actor, once } = input
      const { id } = input.session
      const prepared = await prepare(id, input.session.workspaceRoot, input.session.agent, input)
      if (!prepared.ok) return prepared
      const { agent, launch, keeper, worktree } = prepared.value
      const { cwd: workspaceRoot, isolation } = launch
      const session = { ...input.session, agent: agent.name, workspaceRoot, isolation }
      const promptItem = newId<QueueItemId>()
      const register = () =>
        app.dispatch({ type: 'session.start', session, active: false, restartOf, promptItem }, actor, once)
      // A process comes before its session, so that what can't be started leaves no trace; but none for a full house.
      const full = (await app.read.slots('acp')) >= deps.maxSessions
      const early = full ? await register() : null
      if (early && !early.ok) return early
      const child = await spawn(prepared.value, id, id)
      if (!child.ok) {
        if (early) await failed(id, child.fault.message)
        return child
      }
      const started = early ?? (await register())
      if (!started.ok || started.value.repeated) {
        await dismiss(keeper, id)
        return started.ok ? ok(started.value.subject as SessionId) : started
      }
      await app.dispatch({ type: 'agent.host', id, nodeId: deps.nodeId }, system)
      const driver = roster.drive({ id, childId: id, status: 'created', agent, launch, keeper })
      const continues = restartOf === null ? null : (await roster.aboutOf(restartOf)).agentSessionId
      if (restartOf !== null) await roster.gone(restartOf)
      if (restartOf !== null && agent.quirks.loadAfterMinute) await nextMinute(clock, await roster.lastHeard(restartOf))
      const budget = input.budget ?? (agent.budgetUsd === null ? null : { costUsd: agent.budgetUsd, tokens: null })
      const handshake = handshakeOf(agent, launch, { authMethod: input.authMethod, continues, budget, worktree })
      const begun = await driver.begin(handshake, 'session.activate')
      if (begun.ok) return ok(id)
      await failed(id, begun.fault.message)
      return begun
    },

    /** An interrupted session gets a new process, which takes up the old conversation where it can. */
    async recover(id: SessionId): Promise<Result<void>> {
      const found = await app.read.session(seeing, id)
      if (!found.ok) return found
      const { status, workspaceRoot, agent: name, isolation } = found.value
      const free = (await app.read.slots('acp')) < deps.maxSessions
      if (status !== 'interrupted' || roster.get(id) || !free) {
        // The core says why not.
        const refused = await app.dispatch({ type: 'session.recover', id, reason: null }, system)
        return refused.ok ? ok(undefined) : refused
      }
      const prepared = await prepare(id, workspaceRoot, name, { isolation, worktree: false })
      if (!prepared.ok) return prepared
      const { agent, launch, keeper } = prepared.value
      const childId = `${id}.${clock.now()}`
      const child = await spawn(prepared.value, childId, id)
      if (!child.ok) return child
      const heard = await roster.lastHeard(id)
      const { agentSessionId: continues, budget, worktree } = await roster.aboutOf(id)
      await app.dispatch({ type: 'agent.host', id, nodeId: deps.nodeId }, system)
      const driver = roster.drive({ id, childId, status, agent, launch, keeper })
      if (agent.quirks.loadAfterMinute) await nextMinute(clock, heard)
      const handshake = handshakeOf(agent, launch, { authMethod: null, continues, budget, worktree })
      return driver.begin(handshake, 'session.recover')
    },
  }
}

/** Some agents name a conversation's file by its minute, and overwrite it when it is loaded in that minute. */
async function nextMinute(clock: Clock, last: number): Promise<void> {
  const minute = 60_000
  const from = (Math.floor(last / minute) + 1) * minute + 500
  if (clock.now() < from) await new Promise<void>((resolve) => clock.at(from, resolve))
}
