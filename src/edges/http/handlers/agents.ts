import type { Hosting } from '../../../app/hosting.ts'
import { restartAgent } from '../../../app/use-cases/restart-agent.ts'
import { takeQueued } from '../../../app/use-cases/take-queued.ts'
import { api } from '../../../client/contract.ts'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import type { AgentState } from '../../../domain/agent/about.ts'
import { modeMisfit, optionMisfit } from '../../../app/agent-offers.ts'
import { QueuePlace, type QueueItem, type QueueItemId } from '../../../domain/queue/schema.ts'
import type { SessionCommand, SessionId } from '../../../domain/session/schema.ts'
import { newId } from '../../../lib/id.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { callerOf, mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

/** Nothing is started; each agent is started; each is asked for a session too. */
type Probe = 'none' | 'start' | 'session'

type SignInInput = { methodId: string; variables: Readonly<Record<string, string>>; key: string | null }

const probes = { false: 'none', true: 'start', session: 'session' } as const

/** What HTTP needs of the agents on this node. */
export type Agents = Hosting & {
  /** All agents, or the one of this name. */
  list(probe: Probe, name?: string): Promise<AgentInfo[]>
  signIn(name: string, input: SignInInput): Promise<Result<{ ready: boolean; error: string | null }>>
}

type SteerAction = Extract<SessionCommand, { type: 'session.steer' }>['what']

/** Null if the caller may act on the agent; the action is recorded in the log. */
export async function steer(
  { app }: RouteDeps,
  call: ApiCall,
  id: SessionId,
  what: SteerAction,
  detail: string | null = null,
  /** Why the agent can't do it; what it does not offer is not recorded. */
  misfit?: (state: AgentState) => Failed | null,
): Promise<Failed | null> {
  const command = { type: 'session.steer' as const, id, what, detail }
  if (misfit) {
    const barred = await app.check(command, call.caller.actor)
    if (barred !== null && barred !== 'repeated') return barred
    const state = await app.read.agentState(call.caller.standing, id)
    const refused = state.ok ? misfit(state.value) : state
    if (refused) return refused
  }
  const done = await app.dispatch(command, call.caller.actor)
  return done.ok ? null : done
}

export function mountAgents(web: Web, deps: RouteDeps, agents: Agents): void {
  const { app } = deps

  mount(web, deps, api.promptSession, async ({ params, body }, call) => {
    const id = newId<QueueItemId>()
    const command = { type: 'queue.add' as const, id, sessionId: params.id, ...body }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    if (!done.ok) return done
    const items = await app.read.queue(call.caller.standing, params.id)
    if (!items.ok) return items
    const item = items.value.find((one) => one.id === done.value.subject)
    return item ? ok({ ...item, position: positionOf(item, items.value) }) : fail(movedOn)
  })

  mount(web, deps, api.listQueue, async ({ params }, { caller }) => {
    const items = await app.read.queue(caller.standing, params.id)
    return items.ok ? ok({ items: items.value }) : items
  })

  mount(web, deps, api.takeQueued, async ({ params }, call) => {
    const items = await takeQueued(app, params.id, callerOf(call))
    return items.ok ? ok({ items: items.value }) : items
  })

  mount(web, deps, api.setOperationalMode, async ({ params, body }, { caller }) => {
    const done = await app.dispatch({ type: 'session.set_mode', id: params.id, mode: body.mode }, caller.actor)
    return done.ok ? app.read.session(caller.standing, params.id) : done
  })

  mount(web, deps, api.dropQueued, async ({ params }, { caller }) => {
    const { id: sessionId, itemId: id } = params
    const done = await app.dispatch({ type: 'queue.drop', id, sessionId, reason: null }, caller.actor)
    return done.ok ? app.read.queueItem(caller.standing, sessionId, id) : done
  })

  mount(web, deps, api.changeQueued, async ({ params, body }, { caller }) => {
    const { id: sessionId, itemId: id } = params
    const done = await app.dispatch({ type: 'queue.change', id, sessionId, ...body }, caller.actor)
    return done.ok ? app.read.queueItem(caller.standing, sessionId, id) : done
  })

  mount(web, deps, api.cancelTurn, async ({ params }, call) => {
    const refused = await steer(deps, call, params.id, 'cancel_turn')
    return refused ?? ok({ cancelled: await agents.cancelTurn(params.id) })
  })

  const shown = async (call: ApiCall, id: SessionId, done: Result<void>) =>
    done.ok ? app.read.session(call.caller.standing, id) : done

  mount(web, deps, api.sleepSession, async ({ params: { id } }, call) => {
    const command = { type: 'session.sleep' as const, id, why: 'asked' as const, onWake: null }
    return shown(call, id, await agents.sleep(command, call.caller.actor, call.once))
  })

  mount(web, deps, api.wakeSession, async ({ params: { id } }, call) =>
    shown(call, id, await agents.wake(id, call.caller.actor, call.once)),
  )

  mount(web, deps, api.restartAgent, async ({ params: { id }, body }, call) =>
    shown(call, id, await restartAgent(agents, id, body.onWake ?? null, callerOf(call))),
  )

  mount(web, deps, api.setAgentMode, async ({ params, body }, call) => {
    const fits = (state: AgentState) => modeMisfit(state, body.modeId)
    const refused = await steer(deps, call, params.id, 'set_mode', body.modeId, fits)
    if (refused) return refused
    const set = await agents.setMode(params.id, body.modeId)
    return set.ok ? app.read.agentState(call.caller.standing, params.id) : set
  })

  mount(web, deps, api.setAgentOption, async ({ params, body }, call) => {
    const fits = (state: AgentState) => optionMisfit(state, body.optionId, body.value)
    const refused = await steer(deps, call, params.id, 'set_option', body.optionId, fits)
    if (refused) return refused
    const set = await agents.setOption(params.id, body.optionId, body.value)
    return set.ok ? app.read.agentState(call.caller.standing, params.id) : set
  })

  mount(web, deps, api.listConversations, async ({ params }, { caller }) => {
    const session = await app.read.session(caller.standing, params.id)
    if (!session.ok) return session
    // They may be about work outside of Signalbox, or of other people.
    const refused = await app.read.mayRunPrograms(caller.standing)
    if (!refused.ok) return refused
    const found = await agents.conversations(params.id)
    return found.ok ? ok({ conversations: found.value }) : found
  })

  mount(web, deps, api.listAgents, async ({ query }, { caller }) => {
    const person = await app.read.isPerson(caller.standing)
    if (!person.ok) return person
    const probe = probes[query.probe]
    const refused = probe === 'none' ? ok(null) : await app.read.mayRunPrograms(caller.standing)
    return refused.ok ? ok({ agents: await agents.list(probe, query.name) }) : refused
  })

  mount(web, deps, api.signInAgent, async ({ params, body }, { caller }) => {
    const refused = await app.read.mayRunPrograms(caller.standing)
    return refused.ok ? agents.signIn(params.name, { ...body, key: body.key ?? null }) : refused
  })
}

/** How many waiting prompts come before it. */
function positionOf(item: QueueItem, items: readonly QueueItem[]): number {
  const inOrder = QueuePlace.options.flatMap((place) =>
    items.filter(({ when, status, id }) => when === place && (status === 'waiting' || id === item.id)),
  )
  return item.status === 'waiting' ? inOrder.indexOf(item) : 0
}

const movedOn = {
  kind: 'conflict' as const,
  code: 'queue_moved_on',
  message: 'It has already left the queue.',
}
