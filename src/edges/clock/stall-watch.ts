import type { App } from '../../app/app.ts'
import type { Command } from '../../app/command.ts'
import { isOf } from '../../app/events.ts'
import type { AlertId, StallSettings } from '../../domain/alert/schema.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Logger } from '../../lib/log.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'

const retryMs = 5000
const watchdog: Actor = { kind: 'system', name: 'watchdog' }

export type StallWatch = AsyncDisposable & {
  /** Resolves when every check that has started is done. */
  settled(): Promise<void>
}

/**
 * The stall watchdog (R16). Sessions and alerts are rows that say when something is due; one timer is set for the
 * earliest. The core decides what is really due: of two watchers that check at once, one acts.
 */
export function startStallWatch(deps: {
  app: App
  clock: Clock
  log: Logger
  settings: () => StallSettings
}): StallWatch {
  const { app, clock, log, settings } = deps
  let timer: (Disposable & { at: number }) | null = null
  let stopped = false
  const queue = createSerialQueue()
  let alerted: ReadonlySet<string> = new Set()

  function arm(at: number): void {
    if (stopped || (timer && timer.at <= at)) return
    timer?.[Symbol.dispose]()
    const armed = clock.at(at, () => {
      timer = null
      void queue.run(look)
    })
    timer = { at, [Symbol.dispose]: () => armed[Symbol.dispose]() }
  }

  async function look(): Promise<void> {
    if (stopped) return
    try {
      const rules = settings()
      const now = clock.now()
      const due = await app.read.stallWork(rules, now)
      let refused = 0
      for (const { sessionId, cause } of due.raise)
        refused += await act({ type: 'alert.raise', id: newId<AlertId>(), sessionId, cause })
      for (const { id, step } of due.steps) refused += await act(commandOf(id, step))
      const acted = due.raise.length + due.steps.length > 0
      const then = acted ? await app.read.stallWork(rules, now) : due
      alerted = new Set(then.alerted)
      // Retried later, so that the timer does not spin. A session that starts now can't be due before inactivityMs has
      // passed, so checking then misses nothing.
      const left = then.raise.length + then.steps.length
      const again = left > 0 ? clock.now() + (refused > 0 ? retryMs : 0) : Number.POSITIVE_INFINITY
      arm(Math.min(again, then.nextAt ?? Number.POSITIVE_INFINITY, now + rules.inactivityMs))
    } catch (error) {
      log.error({ error: String(error) }, 'could not look for stalled sessions; trying again')
      arm(clock.now() + retryMs)
    }
  }

  /** 1 if it was refused: another watcher was faster, or it is no longer due. */
  async function act(command: Command): Promise<0 | 1> {
    const done = await app.dispatch(command, watchdog)
    if (done.ok) return 0
    if (done.fault.kind === 'unavailable') throw new Error(done.fault.code)
    log.info({ command: command.type, code: done.fault.code }, 'the watchdog had nothing to do')
    return 1
  }

  // Close an alert at once when the session recovers, not when its next nudge is due.
  const listening = app.tail.listen((events) => {
    for (const event of events) {
      const { sessionId } = event
      if (sessionId === null || isOf(event, 'queue')) continue
      if (event.type === 'alert.raised') alerted = new Set([...alerted, sessionId])
      const nextAt = event.type === 'alert.raised' || event.type === 'alert.nudged' ? event.data.nextAt : null
      // Another node may have raised it, and may be down when it is due.
      if (nextAt !== null) arm(Date.parse(nextAt))
      else if (alerted.has(sessionId) && !isOf(event, 'alert')) arm(clock.now())
    }
  })
  void queue.run(look)

  return {
    settled: () => queue.idle(),
    async [Symbol.asyncDispose]() {
      stopped = true
      listening[Symbol.dispose]()
      timer?.[Symbol.dispose]()
      await queue.idle()
    },
  }
}

function commandOf(id: AlertId, step: 'recover' | 'lapse' | 'nudge' | 'escalate'): Command {
  switch (step) {
    case 'nudge':
      return { type: 'alert.nudge', id, itemId: newId<QueueItemId>(), message: null }
    case 'escalate':
      return { type: 'alert.escalate', id }
    case 'recover':
      return { type: 'alert.recover', id }
    case 'lapse':
      return { type: 'alert.lapse', id }
    default:
      return step satisfies never
  }
}
