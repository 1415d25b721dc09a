import { pendingRuns, runningRuns } from '../../domain/schedule/store.ts'
import type { ScheduleId, ScheduleRun } from '../../domain/schedule/schema.ts'
import { LeaseLost, soleLeases, type Guard, type Leases } from '../../db/leases.ts'
import { backoff } from '../../lib/backoff.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { createWakeSignal } from '../../lib/wake-signal.ts'
import type { App } from '../app.ts'
import { isOf } from '../events.ts'
import { endIfOver } from './end-runs.ts'
import { startRun, type StartRunDeps } from './start-run.ts'

export type RunnerDeps = StartRunDeps & {
  app: Pick<App, 'read' | 'dispatch' | 'tail'>
  leases?: Leases | undefined
  clock: Clock
  log: Logger
}

const system = { kind: 'system' as const, name: 'schedules' }
const mostAtOnce = 4
const pageSize = 200
const leaseRetryMs = 1000
const endingMs = 3000
const retryMs = 15_000
/** A run that finds no free slot for this long has failed. */
const patienceMs = 3600_000

/**
 * Starts runs that wait, on the node that holds the lease. Which runs there are is in the table, so a node that takes over
 * continues where the other one stopped. At rest it waits for an event, and does nothing.
 */
export function startScheduleRunner(deps: RunnerDeps): AsyncDisposable {
  const { app, log, clock } = deps
  const { read } = deps.database
  const leases = deps.leases ?? soleLeases
  const stop = new AbortController()
  const work = createWakeSignal()
  const underWay = new Map<ScheduleId, Promise<void>>()
  const waiting = new Map<string, Disposable>()

  const listening = app.tail.listen((events) => {
    if (events.some((event) => isOf(event, 'schedule'))) work.wake()
  })

  async function attempt(run: ScheduleRun, guard: Guard): Promise<void> {
    const { id: runId, scheduleId: id } = run
    const made = await startRun(deps, run, guard)
    if (made.kind === 'later' && clock.now() - Date.parse(run.createdAt) < patienceMs) {
      const timer = clock.at(clock.now() + retryMs, () => {
        waiting.delete(runId)
        work.wake()
      })
      waiting.set(runId, timer)
      return
    }
    if (made.kind === 'started') {
      const { itemId, sessionId } = made.started
      await app.dispatch({ type: 'schedule.start_run', id, runId, ...made.started }, system, { guard })
      await endIfOver(deps, { ...run, sessionId, itemId }, guard)
    } else if (made.kind === 'skipped')
      await app.dispatch({ type: 'schedule.skip_run', id, runId, reason: made.reason }, system, { guard })
    else {
      const over = { outcome: 'failed' as const, reason: made.reason, costUsd: null }
      await app.dispatch({ type: 'schedule.end_run', id, runId, ...over }, system, { guard })
    }
  }

  function begin(run: ScheduleRun, guard: Guard, lost: AbortController): void {
    const done = attempt(run, guard)
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) return lost.abort()
        log.error({ run: run.id, error: String(error) }, 'a scheduled run could not be started; trying again')
        waiting.set(
          run.id,
          clock.at(clock.now() + retryMs, () => {
            waiting.delete(run.id)
            work.wake()
          }),
        )
      })
      .finally(() => {
        underWay.delete(run.scheduleId)
        work.wake()
      })
    underWay.set(run.scheduleId, done)
  }

  async function pump(guard: Guard, over: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const ended = AbortSignal.any([over, lost.signal])
    for (const run of await runningRuns(read)) await endIfOver(deps, run, guard)
    while (!ended.aborted) {
      const known = work.count()
      for (const run of await pendingRuns(read, pageSize)) {
        if (underWay.size >= mostAtOnce || ended.aborted) break
        if (!underWay.has(run.scheduleId) && !waiting.has(run.id)) begin(run, guard, lost)
      }
      if (!ended.aborted) await work.after(known, null, ended)
    }
  }

  async function holdLease(): Promise<void> {
    const held = await leases.acquire('schedules')
    if (!held) return createWakeSignal().after(0, leaseRetryMs, stop.signal)
    await using lease = held
    await pump(lease.guard, AbortSignal.any([stop.signal, lease.lost]))
    // What takes longer is continued by the next server.
    await Promise.race([Promise.allSettled(underWay.values()), createWakeSignal().after(0, endingMs)])
  }

  async function forever(): Promise<void> {
    let failures = 0
    while (!stop.signal.aborted) {
      try {
        await holdLease()
        failures = 0
      } catch (error) {
        if (error instanceof LeaseLost) continue
        failures += 1
        log.error({ error: String(error) }, 'scheduled runs could not be read; trying again')
        await createWakeSignal().after(0, backoff(failures, 200, 10_000), stop.signal)
      }
    }
  }

  const done = forever()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      listening[Symbol.dispose]()
      await done
      for (const timer of waiting.values()) timer[Symbol.dispose]()
    },
  }
}
