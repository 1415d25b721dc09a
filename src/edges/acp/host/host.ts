import { isOf, type LoggedEvent } from '../../../app/events.ts'
import type { Hosting } from '../../../app/hosting.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import { createKeeperLink, reapLeftovers } from '../../../keeper-client/client.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import type { AskId } from '../../../domain/ask/schema.ts'
import { adopt } from './adoption.ts'
import type { Driver } from '../driver/driver-types.ts'
import { systemViewer, system } from '../actor.ts'
import { passOnAnswer } from '../driver/resumed-work.ts'
import { createDriverRegistry, type DriverRegistry, type HostDeps } from './driver-registry.ts'
import { createStarter } from './starter.ts'
import { createRoom, createWaker } from './waker.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'

/** All agents hosted on this node. */
export type AgentHost = Hosting & {
  /** The agent of a session as it is set up, for what runs beside it. */
  agentFor: DriverRegistry['agentFor']
  adopt(): Promise<void>
  /** The server stops: agents keep running in the keeper, or end with it. */
  stop(agents: 'end' | 'keep'): Promise<void>
}

export function createAgentHost(deps: HostDeps): AgentHost {
  const { app, log } = deps
  const registry = createDriverRegistry(deps)
  let stopped = false

  const interrupt = (id: SessionId, reason: string) => app.dispatch({ type: 'session.interrupt', id, reason }, system)

  /** The keeper is gone: interrupts its sessions and ends processes it left behind. */
  async function lost(): Promise<void> {
    if (stopped) return
    const drivers = registry.all()
    for (const [id, driver] of drivers) {
      await driver.lost()
      // An agent that was only starting is started again.
      if (!waker.isBusy(id)) await interrupt(id, 'its keeper is gone')
    }
    registry.clear()
    await reapLeftovers(deps.dataDir, log)
  }

  const link = createKeeperLink({ dataDir: deps.dataDir, log, role: 'agents', lost })
  const makeRoom = createRoom(deps, registry)
  const starter = createStarter({ ...deps, stopping: () => stopped }, registry, link, makeRoom, (id) => waker.poke(id))
  const waker = createWaker({ ...deps, stopping: () => stopped }, registry, starter, makeRoom)

  const listening = app.tail.listen((events) => {
    for (const event of events) {
      const { sessionId } = event
      const waited = isOf(event, 'ask') && event.type !== 'ask.opened' && registry.answers.heard(event.data.id)
      if (sessionId === null) continue
      const driver = registry.get(sessionId)
      driver?.heard(event)
      if (event.type === 'session.phase_changed') waker.poke(sessionId)
      else if (isWork(event) && (!driver || waker.isBusy(sessionId))) waker.poke(sessionId)
      if (frees(event.type)) waker.freed()
      if (driver && event.type === 'ask.answered' && !waited)
        hearAnswer(event.data.id, driver).catch((error: unknown) =>
          log.error({ session: sessionId, error: String(error) }, 'failed to pass on an answer'),
        )
    }
  })

  async function hearAnswer(id: AskId, driver: Driver): Promise<void> {
    const ask = await app.read.ask(systemViewer, id)
    if (ask.ok) await passOnAnswer(app, ask.value, driver.metAt())
  }

  const driverOf = (id: SessionId): Result<Driver> => {
    const driver = registry.get(id)
    return driver ? ok(driver) : notRunning()
  }

  return {
    start: async (input) => (stopped ? fail(stopping) : starter.start(input)),
    recover: async (id) => (stopped ? fail(stopping) : starter.recover(id)),
    async cancelTurn(id) {
      return (await registry.get(id)?.cancelTurn()) ?? false
    },
    async setMode(id, modeId) {
      const driver = driverOf(id)
      return driver.ok ? driver.value.setMode(modeId) : driver
    },
    async setOption(id, optionId, value) {
      const driver = driverOf(id)
      return driver.ok ? driver.value.setOption(optionId, value) : driver
    },
    async conversations(id) {
      const driver = driverOf(id)
      return driver.ok ? driver.value.conversations() : driver
    },
    agentFor: registry.agentFor,
    gone: registry.gone,
    async stderr(id) {
      const driver = registry.get(id)
      return (driver && (await link.current()?.stderr(driver.childId))) ?? null
    },
    live: () => registry.all().length,
    async wake(id, actor, once) {
      const woken = await waker.wake(id, actor, once)
      if (woken.ok) await waker.settled(id)
      return woken
    },
    async sleep(command, actor, once) {
      const done =
        command.why === 'restart'
          ? await waker.restart(command, actor, once)
          : ((done) => (done.ok ? ok(undefined) : done))(await app.dispatch(command, actor, once))
      if (!done.ok) return done
      waker.poke(command.id)
      await waker.settled(command.id)
      return done
    },
    async adopt() {
      await adopt({ ...deps, stopping: () => stopped }, registry, link)
      await waker.resume()
    },
    async stop(agents) {
      stopped = true
      listening[Symbol.dispose]()
      const drivers = registry.all()
      if (agents === 'end') {
        // Interrupted, not ended, so that they can be recovered later.
        const waking = waker.stop()
        for (const [id] of drivers) await interrupt(id, 'the server was stopped')
        await Promise.all(drivers.map(([, driver]) => driver.end({ keepAsks: true })))
        await withTimeLimit(waking, stopMs)
        await Promise.all(registry.all().map(([, driver]) => driver.end({ keepAsks: true })))
        await link.release()?.stop()
        return
      }
      const waking = waker.stop()
      await Promise.all(drivers.map(([, driver]) => driver.release()))
      await withTimeLimit(waking, stopMs)
      // Started while the others were released.
      await Promise.all(registry.all().map(([, driver]) => driver.release()))
      const keeper = link.release()
      if (keeper && (await keeper.list()).length === 0) await keeper.stop()
      else await keeper?.[Symbol.asyncDispose]()
    },
  }
}

/** What an agent without a process is woken for, or forgotten after. */
const isWork = (event: LoggedEvent): boolean =>
  event.type === 'queue.added' ||
  event.type === 'queue.moved' ||
  (event.type === 'session.status_changed' && (event.data.to === 'active' || hasEnded(event.data.to)))
/** After these, an agent may be idle, asleep or gone. */
const frees = (type: string): boolean =>
  /^session\.(status|phase)_changed$/.test(type) || type === 'queue.delivered' || /^ask\.(?!opened)/.test(type)

const stopMs = 3000

const stopping = { kind: 'unavailable' as const, code: 'stopping', message: 'The server is stopping.' }

const notRunning = (): Failed =>
  fail({
    kind: 'conflict',
    code: 'agent_not_running',
    message: "This session's agent is not running here.",
    hint: 'Continue the session, or recover it if it was interrupted.',
  })
