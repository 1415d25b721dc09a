import type { DispatchOptions } from '../../../app/dispatch.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { SessionCommand } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import { system } from '../actor.ts'
import type { DriverRegistry, HostDeps } from './driver-registry.ts'
import type { Stopping } from './failed-start.ts'
import type { Starter } from './starter.ts'

const retryMs = 1000
const recheckMs = 5000

/**
 * Makes the processes agree with the rows: agents that are asleep have none, those that are waking get one. It acts on
 * what the rows say, never on an event alone, so an event that is late, missed or repeated changes nothing.
 */
export type Waker = {
  /** Something changed for this session. */
  poke(id: SessionId): void
  /** A slot or container may have become free. */
  freed(): void
  isBusy(id: SessionId): boolean
  /** Resolves when nothing is being done for this session. */
  settled(id: SessionId): Promise<void>
  /** Takes a slot for an agent that has no process, and puts another one to sleep for it if it must. */
  wake(id: SessionId, actor: Actor, once?: DispatchOptions): Promise<Result<void>>
  /** Ends the process and starts another one for the same session. */
  restart(command: SleepCommand, actor: Actor, once?: DispatchOptions): Promise<Result<void>>
  /** Takes up what the previous server left. */
  resume(): Promise<void>
  stop(): Promise<void>
}

type SleepCommand = Extract<SessionCommand, { type: 'session.sleep' }>

/** Frees a slot, or a container, by putting the agent to sleep that has been idle longest. */
export type MakeRoom = (code: string, for_: SessionId) => Promise<boolean>

export function createRoom(deps: HostDeps, registry: DriverRegistry): MakeRoom {
  const { app } = deps
  // One at a time: two sessions that need a slot put two others to sleep.
  const queue = createSerialQueue()
  return async (code, id) => {
    if (code !== 'session_limit' && code !== 'container_limit') return false
    const slept = await queue.run(async () => {
      for (const other of await app.read.sleepers(deps.nodeId, code === 'container_limit')) {
        if (other === id) continue
        const done = await app.dispatch({ type: 'session.sleep', id: other, why: 'slot_needed', onWake: null }, system)
        if (done.ok && done.value.events.length > 0) return other
      }
      return null
    })
    if (slept === null) return false
    await registry.get(slept)?.end({ keepAsks: true })
    await registry.gone(slept)
    return true
  }
}

export function createWaker(
  deps: HostDeps & Stopping,
  registry: DriverRegistry,
  starter: Starter,
  makeRoom: MakeRoom,
): Waker {
  const { app, clock, log } = deps
  const running = new Map<SessionId, { again: boolean; done: Promise<void> }>()
  const timers = new Map<SessionId, Disposable>()
  const waiters = new Set<SessionId>()
  const rounds = createSerialQueue()
  let stopped = false
  let round: Disposable | null = null
  const isOver = () => stopped || deps.stopping()

  function poke(id: SessionId): void {
    const current = running.get(id)
    if (isOver()) return
    if (current) {
      current.again = true
      return
    }
    const entry = { again: false, done: Promise.resolve() }
    entry.done = (async () => {
      do {
        entry.again = false
        await look(id)
      } while (entry.again && !isOver())
    })()
      .catch((error: unknown) => {
        log.error({ session: id, error: String(error) }, 'could not wake or end an agent')
        later(id, clock.now() + retryMs)
      })
      .finally(() => running.delete(id))
    running.set(id, entry)
  }

  function later(id: SessionId, at: number): void {
    timers.get(id)?.[Symbol.dispose]()
    if (isOver()) return
    timers.set(
      id,
      clock.at(at, () => {
        timers.delete(id)
        poke(id)
      }),
    )
  }

  async function look(id: SessionId): Promise<void> {
    for (;;) {
      if (isOver()) return
      const row = await app.read.hostPhase(id)
      if (!row || row.nodeId !== deps.nodeId || hasEnded(row.status) || row.phase === 'awake') {
        waiters.delete(id)
        // No driver was left to do it.
        if (row && hasEnded(row.status) && row.phase !== 'awake' && !registry.get(id)) await registry.tidyWorktree(id)
        return
      }
      await registry.get(id)?.end({ keepAsks: true })
      await registry.gone(id)
      if (row.status === 'interrupted') return
      if (row.phase === 'waking') {
        const dueAt = row.wakeAt === null ? 0 : Date.parse(row.wakeAt)
        if (dueAt > clock.now()) return later(id, dueAt)
        waiters.delete(id)
        if (!(await start(id, row.since))) return
        continue
      }
      if (row.phase === 'asleep' && (!row.waiting || row.status !== 'active')) return
      // In turn with the others that wait.
      waiters.add(id)
      freed()
      recheck()
      return
    }
  }

  /** False if it is to be tried later. */
  async function start(id: SessionId, since: string | null): Promise<boolean> {
    const woken = await starter.wake(id, since)
    if (woken.ok || isOver()) return true
    const { code, kind, message } = woken.fault
    // The keeper ended, or the database can't be reached: not the agent's fault.
    if (kind === 'unavailable' && !code.startsWith('agent_')) {
      later(id, clock.now() + retryMs)
      return false
    }
    if (code === 'not_waking' || code === 'session_ended') return true
    log.warn({ session: id, code }, 'an agent could not be started again')
    const what = message.slice(0, 2000)
    const done = await app.dispatch({ type: 'session.exit', id, what, how: 'unstarted' }, system)
    if (done.ok) return true
    later(id, clock.now() + retryMs)
    return false
  }

  async function takeSlot(id: SessionId, actor: Actor, once: DispatchOptions = {}): Promise<Result<void>> {
    return withRoom(id, { type: 'session.wake', id }, actor, once)
  }

  async function withRoom(
    id: SessionId,
    command: SleepCommand | Extract<SessionCommand, { type: 'session.wake' }>,
    actor: Actor,
    once: DispatchOptions,
  ): Promise<Result<void>> {
    for (;;) {
      const done = await app.dispatch(command, actor, once)
      if (done.ok) return ok(undefined)
      if (isOver() || !(await makeRoom(done.fault.code, id))) return done
    }
  }

  /** Those that wait longest first. Who waits for a container does not hold up those who need only a slot. */
  async function tryWaiters(): Promise<void> {
    let noContainer = false
    const all = await app.read.unhosted(deps.nodeId)
    for (const id of waiters) if (!all.includes(id)) waiters.delete(id)
    for (const id of all) {
      if (isOver()) return
      if (timers.has(id)) continue
      const session = await app.read.hostPhase(id)
      if (session?.phase === 'queued' && noContainer) continue
      const taken = await takeSlot(id, system)
      if (taken.ok) poke(id)
      else if (taken.fault.code === 'container_limit') noContainer = true
      else if (taken.fault.code === 'session_limit') return
    }
  }

  function freed(): void {
    if (waiters.size === 0 || isOver()) return
    void rounds.run(tryWaiters).catch((error: unknown) => {
      log.error({ error: String(error) }, 'could not wake agents that wait for a slot')
    })
  }

  function recheck(): void {
    if (round || isOver()) return
    round = clock.at(clock.now() + recheckMs, () => {
      round = null
      freed()
      if (waiters.size > 0) recheck()
    })
  }

  return {
    poke,
    freed,
    isBusy: (id) => running.has(id),
    async settled(id) {
      for (let entry = running.get(id); entry; entry = running.get(id)) await entry.done
    },
    async wake(id, actor, once = {}) {
      const taken = await takeSlot(id, actor, once)
      if (taken.ok) poke(id)
      return taken
    },
    async restart(command, actor, once = {}) {
      const done = await withRoom(command.id, command, actor, once)
      if (done.ok) poke(command.id)
      return done
    },
    async resume() {
      const left = await app.read.hosted(deps.nodeId)
      for (const { id, phase } of left) if (phase === 'asleep' && registry.get(id)) poke(id)
      for (const id of await app.read.unhosted(deps.nodeId)) waiters.add(id)
      freed()
      if (waiters.size > 0) recheck()
    },
    async stop() {
      stopped = true
      round?.[Symbol.dispose]()
      for (const timer of timers.values()) timer[Symbol.dispose]()
      timers.clear()
      await Promise.all([...running.values()].map(({ done }) => done))
      await rounds.idle()
    },
  }
}
