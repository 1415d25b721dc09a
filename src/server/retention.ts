import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Retention, RetentionLimits } from '../app/retention.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'

const minute = 60 * 1000
const hour = 60 * minute
const day = 24 * hour

/** Deletes old rows and recordings, once an hour on every node: each node has recordings of its own. */
export function startRetention(deps: {
  retention: Retention
  clock: Clock
  log: Logger
  limits: RetentionLimits & { recordingDays: number }
  /** The directory of the recordings of terminals. */
  recordings: string
}): AsyncDisposable {
  const { retention, clock, log, limits, recordings } = deps
  let timer: Disposable | null = null
  let running = Promise.resolve()
  let stopped = false

  async function forget(): Promise<void> {
    try {
      await retention.forgetRows(clock.now(), limits)
      if (existsSync(recordings)) await forgetRecordings()
    } catch (error) {
      log.warn({ error: String(error) }, 'could not delete old rows; trying again in an hour')
    }
  }

  async function forgetRecordings(): Promise<void> {
    const { recordingsOlderThan, removeRecording } = await import('../edges/terminal/recording/removal.ts')
    const recorded = await retention.sessionsBeingRecorded()
    for (const directory of await recordingsOlderThan(recordings, clock.now() - limits.recordingDays * day))
      if (!recorded.has(basename(directory))) await removeRecording(directory)
  }

  function arm(delay: number): void {
    if (stopped) return
    timer = clock.at(clock.now() + delay, () => {
      running = forget().then(() => arm(hour))
    })
  }
  arm(minute)
  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      timer?.[Symbol.dispose]()
      await running
    },
  }
}
