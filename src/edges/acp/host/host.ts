import { isOf } from '../../../app/events.ts'
import type { Hosting } from '../../../app/hosting.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { createKeeperLink, reapLeftovers } from '../../../keeper-client/client.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import type { AskId } from '../../../domain/ask/schema.ts'
import { adopt } from './adoption.ts'
import type { Driver } from '../driver/driver-types.ts'
import { systemViewer, system } from '../actor.ts'
import { passOnAnswer } from '../driver/resumed-work.ts'
import { createDriverRegistry, type HostDeps } from './driver-registry.ts'
import { createStarter } from './starter.ts'

/** All agents hosted on this node. */
export type AgentHost = Hosting & {
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
      await interrupt(id, 'its keeper is gone')
    }
    registry.clear()
    await reapLeftovers(deps.dataDir, log)
  }

  const link = createKeeperLink({ dataDir: deps.dataDir, log, role: 'agents', lost })
  const starter = createStarter({ ...deps, stopping: () => stopped }, registry, link)

  const listening = app.tail.listen((events) => {
    for (const event of events) {
      const { sessionId } = event
      const waited = isOf(event, 'ask') && event.type !== 'ask.opened' && registry.answers.heard(event.data.id)
      if (sessionId === null) continue
      const driver = registry.get(sessionId)
      driver?.heard(event)
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
    gone: registry.gone,
    async stderr(id) {
      const driver = registry.get(id)
      return (driver && (await link.current()?.stderr(driver.childId))) ?? null
    },
    live: () => registry.all().length,
    adopt: () => adopt({ ...deps, stopping: () => stopped }, registry, link),
    async stop(agents) {
      stopped = true
      listening[Symbol.dispose]()
      const drivers = registry.all()
      if (agents === 'end') {
        // Interrupted, not ended, so that they can be recovered later.
        for (const [id] of drivers) await interrupt(id, 'the server was stopped')
        await Promise.all(drivers.map(([, driver]) => driver.end({ keepAsks: true })))
        await link.release()?.stop()
        return
      }
      await Promise.all(drivers.map(([, driver]) => driver.release()))
      const keeper = link.release()
      if (keeper && (await keeper.list()).length === 0) await keeper.stop()
      else await keeper?.[Symbol.asyncDispose]()
    },
  }
}

const stopping = { kind: 'unavailable' as const, code: 'stopping', message: 'The server is stopping.' }

const notRunning = (): Failed =>
  fail({
    kind: 'conflict',
    code: 'agent_not_running',
    message: "This session's agent is not running here.",
    hint: 'Continue the session, or recover it if it was interrupted.',
  })
