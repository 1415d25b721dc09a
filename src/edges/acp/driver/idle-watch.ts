import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { system } from '../actor.ts'
import type { Recorder } from '../transcript/recorder.ts'

const retryMs = 5000

/** A11: completes a session that has been idle for a while. It can be continued. */
export type IdleWatch = {
  start(): void
  stop(): void
  /** Something happened that the agent did not cause: a pause ended, an ask was closed. */
  touch(): void
}

export function createIdleWatch(deps: {
  app: App
  clock: Clock
  sessionId: SessionId
  recorder: Recorder
  idleMs: number
  /** Before that it is put to sleep, if it can be; it is not completed then. */
  sleepMs: number | null
  canSleep(): boolean
  isActive(): boolean
  log: Logger
}): IdleWatch {
  const { app, clock, sessionId, recorder } = deps
  let timer: Disposable | null = null

  let touched = 0

  const sleeps = (): number | null =>
    deps.sleepMs !== null && deps.sleepMs < deps.idleMs && deps.canSleep() ? deps.sleepMs : null

  // Idle time before a restart counts.
  function due(): number {
    const { heardAt } = recorder.notes
    return Math.max(heardAt === null ? 0 : Date.parse(heardAt), touched) + (sleeps() ?? deps.idleMs)
  }

  function start(): void {
    stop()
    if (!deps.isActive()) return
    if (recorder.notes.heardAt === null && touched === 0) touch()
    timer = clock.at(Math.max(clock.now() + 100, due()), watch)
  }

  function watch(): void {
    check().catch((error: unknown) => {
      deps.log.error({ error: String(error) }, 'could not determine whether a session is idle')
      timer = clock.at(clock.now() + retryMs, watch)
    })
  }

  function touch(): void {
    touched = clock.now()
  }

  function stop(): void {
    timer?.[Symbol.dispose]()
    timer = null
  }

  async function check(): Promise<void> {
    if (!deps.isActive() || recorder.notes.turn !== null) return
    const { sent, next } = await app.read.headOfQueue(sessionId)
    if (recorder.held().length > 0 || sent || next) touch()
    if (due() > clock.now()) return start()
    if (sleeps() !== null) {
      const slept = await app.dispatch({ type: 'session.sleep', id: sessionId, why: 'idle', onWake: null }, system)
      // An ask may be open that the agent does not wait for.
      if (!slept.ok) touch()
      return slept.ok ? undefined : start()
    }
    await app.dispatch({ type: 'session.complete', id: sessionId, reason: 'idle_timeout' }, system)
  }

  return { start, stop, touch }
}
