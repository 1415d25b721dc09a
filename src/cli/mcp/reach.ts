import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '../../lib/backoff.ts'
import { isHopeless, type Wire } from './wire.ts'

/** Whether the server is there, and how it comes back. */
export type Reach = {
  /** Resolves when a server answers. `mayStart`: somebody waits for an answer, so one is started where none comes back. */
  back(mayStart: boolean, signal: AbortSignal): Promise<void>
}
export type Patience = {
  /** A server that is restarted has this long before another is started. */
  readonly startAfterMs: number
  readonly giveUpAfterMs: number
  /** For saying goodbye. */
  readonly goodbyeMs: number
}

type Deps = {
  wire: Wire
  /** Null for a server elsewhere. */
  start: (() => Promise<void>) | null
  patience: Patience
  note(text: string): void
  /** Ends all waiting. */
  closing: AbortSignal
}

export function createReach({ wire, start, patience, note, closing }: Deps): Reach {
  let wasThere = false
  let wantedSince: number | null = null
  let waiting: Promise<void> | null = null

  async function wait(): Promise<void> {
    const since = performance.now()
    for (let attempt = 1; ; attempt += 1) {
      const absence = await wire.absence()
      if (absence === null) break
      if (isHopeless(absence)) throw wire.explain(absence)
      const now = performance.now()
      if (attempt === 1 && wasThere) note("Can't reach the server; waiting for it to come back.")
      if (wantedSince !== null) {
        if (start && (!wasThere || now - since >= patience.startAfterMs)) {
          note('No server is running; starting one.')
          await start()
          break
        }
        if (now - wantedSince >= patience.giveUpAfterMs) throw wire.explain(absence)
      }
      await delay(backoff(attempt, 25, 1000), undefined, { signal: closing })
    }
    wasThere = true
  }

  return {
    back(mayStart, signal) {
      if (mayStart) wantedSince ??= performance.now()
      waiting ??= wait().finally(() => {
        waiting = null
        wantedSince = null
      })
      return untilAborted(waiting, signal)
    },
  }
}

/** The work goes on for others who wait for it. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>()
  const abort = () => aborted.resolve()
  signal.addEventListener('abort', abort, { once: true })
  try {
    if (!signal.aborted) await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
  signal.throwIfAborted()
}
