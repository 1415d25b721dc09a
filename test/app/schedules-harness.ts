import { runsFollower } from '../../src/app/schedules/end-runs.ts'
import type { Precheck } from '../../src/app/schedules/ports.ts'
import { startScheduleRunner } from '../../src/app/schedules/runner.ts'
import { createSessions } from '../../src/app/use-cases/start-session.ts'
import { listRuns } from '../../src/domain/schedule/query.ts'
import { ScheduleCommand, type ScheduleId } from '../../src/domain/schedule/schema.ts'
import { loadSchedule } from '../../src/domain/schedule/store.ts'
import { waitingItems } from '../../src/domain/queue/store.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import { startDeadlines } from '../../src/edges/clock/deadlines.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { fail, ok, type Fault } from '../../src/lib/result.ts'
import { until, workRepo, type Node, type World } from '../world.ts'

export const hour = 3600_000
export const minute = 60_000

/** A server's part in schedules, with agents that start at once. */
export function serve(world: World, node: Pick<Node, 'app' | 'database'> = world, precheck: Precheck = never) {
  const stack = new AsyncDisposableStack()
  const starts: SessionId[] = []
  let refusing: Fault | null = null
  const located = async (path: string) => ok({ path })
  const sessions = createSessions({
    app: node.app,
    places: {
      locateRepo: located,
      locateWorkspace: located,
      locateNamed: located,
      locateAgain: async () => ok(undefined),
      locateGroupFolder: async (folder) => ok({ path: `/groups/${folder}` }),
    },
    hosting: {
      async start({ session, restartOf, actor, once }) {
        if (refusing) return fail(refusing)
        const command = { type: 'session.start' as const, session, active: true, restartOf, promptItem: newId<never>() }
        const done = await node.app.dispatch({ ...command, hostedBy: 'first' }, actor, once)
        if (done.ok) starts.push(session.id)
        return done.ok ? ok(session.id) : done
      },
      recover: async () => ok(undefined),
    },
    defaultWorkspace: null,
  })
  const { clock } = world
  stack.use(startDeadlines({ app: node.app, clock, log: silentLogger, graceMs: 0 }))
  stack.use(node.app.follow.run(runsFollower(node)))
  stack.use(startScheduleRunner({ ...node, sessions, precheck, clock, log: silentLogger }))
  return {
    starts,
    refuse: (fault: Fault | null) => void (refusing = fault),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
const never: Precheck = async () => fail({ kind: 'unavailable', code: 'x', message: 'no precheck here' })

export async function plan(world: World, owner: Actor, more: object = {}): Promise<ScheduleId> {
  const id = newId<ScheduleId>()
  const where = owner.kind === 'agent' ? {} : { repoId: workRepo.id }
  await world.do(
    ScheduleCommand.parse({ type: 'schedule.create', id, prompt: 'Look around', ...where, ...more }),
    owner,
  )
  return id
}
export const runs = (world: World, id: ScheduleId) => listRuns(world.database.read, id, { limit: 500, offset: 0 })
export const state = (world: World, id: ScheduleId) => loadSchedule(world.database.read, id)
export const armed = (world: World, at: number) => until(() => world.clock.timers().includes(at))

/** The agent's turn ends. */
export async function finish(world: World, sessionId: SessionId, outcome: 'ended' | 'failed' = 'ended') {
  const [item] = await until(async () => {
    const items = await waitingItems(world.database.read, sessionId)
    return items.length > 0 ? items : null
  })
  if (!item) throw new Error('nothing is queued')
  const about = { id: item.id, sessionId }
  await world.do({ type: 'queue.send', ...about, messageId: newId() })
  await world.do({ type: 'queue.settle', ...about, outcome })
}

export const ended = (world: World, id: ScheduleId, count: number) =>
  until(async () => {
    const all = await runs(world, id)
    const over = all.every(({ status }) => status !== 'pending' && status !== 'running')
    return all.length === count && over ? all : null
  })
export const recorded = (world: World, id: ScheduleId, count: number) =>
  until(async () => {
    const all = await runs(world, id)
    return all.length === count ? all : null
  })
export const started = (world: World, id: ScheduleId, count = 1) =>
  until(async () => {
    const all = (await runs(world, id)).filter(({ sessionId }) => sessionId !== null)
    return all.length >= count ? all : null
  })
