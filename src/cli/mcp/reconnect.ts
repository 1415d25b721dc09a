import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '../../lib/backoff.ts'
import { isHopeless, type BridgeWire } from './wire.ts'

/** Waits for the server to come back, and starts one if needed. */
export type Reconnect = {
  /** Resolves when a server responds. With `mayStart`, one is started if none comes back. */
  waitForServer(mayStart: boolean, signal: AbortSignal): Promise<void>
}
export type BridgeTimeouts = {
  /** How long to wait for a restart before starting another server. */
  readonly startAfterMs: number
  readonly giveUpAfterMs: number
  /** For `initialize` of a client that closed only its input: it waits for nobody, but may be what starts the server. */
  readonly introductionMs: number
  /** For pending responses to reach a client that closed only its input. Some calls wait for people. */
  readonly graceMs: number
  /** For closing the session. */
  readonly goodbyeMs: number
}

type Deps = {
  wire: BridgeWire
  /** Null for a remote server. */
  start: (() => Promise<void>) | null
  patience: BridgeTimeouts
  note(text: string): void
  /** Ends all waiting. */
  closing: AbortSignal
}

export function createReconnect({ wire, start, patience, note, closing }: Deps): Reconnect {
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
          note('No server is running. Starting one.')
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
    waitForServer(mayStart, signal) {
      if (mayStart) wantedSince ??= performance.now()
      waiting ??= wait().finally(() => {
        waiting = null
        wantedSince = null
      })
      return untilAborted(waiting, signal)
    },
  }
}

/** Stops waiting on abort; the work continues for others. */
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
