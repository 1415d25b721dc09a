import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Clock } from '../../../lib/clock.ts'
import { system } from '../actor.ts'
import type { Recorder } from '../transcript/recorder.ts'

/** A11: a session with nothing to do and nothing to wait for is completed after a while; it can be continued. */
export type IdleWatch = { start(): void; stop(): void }

export function createIdleWatch(deps: {
  app: App
  clock: Clock
  sessionId: SessionId
  recorder: Recorder
  idleMs: number
  isActive(): boolean
}): IdleWatch {
  const { app, clock, sessionId, recorder } = deps
  let timer: Disposable | null = null

  // What happened before a restart counts: the clock goes on where it was.
  function start(last = recorder.notes.heardAt === null ? clock.now() : Date.parse(recorder.notes.heardAt)): void {
    stop()
    if (!deps.isActive()) return
    timer = clock.at(Math.max(clock.now() + 100, last + deps.idleMs), () => void look())
  }

  function stop(): void {
    timer?.[Symbol.dispose]()
    timer = null
  }

  async function look(): Promise<void> {
    if (!deps.isActive() || recorder.notes.turn !== null) return
    const { sent, next } = await app.read.headOfQueue(sessionId)
    if (recorder.held().length > 0 || sent || next) return start(clock.now())
    await app.dispatch({ type: 'session.complete', id: sessionId, reason: 'idle_timeout' }, system)
  }

  return { start: () => start(), stop }
}
