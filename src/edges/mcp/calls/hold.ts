/** Keeps a call open while something is waited for. */
export type CallHold = {
  /** What came of it; null where the caller has to be answered before it came, or is gone. */
  hold<T>(why: string, wait: (signal: AbortSignal) => Promise<T | null>): Promise<T | null>
}

const aliveMs = 5000

/**
 * A caller that gave a progress token is told every few seconds that we are still there, and waits as long as it takes.
 * Others would give up at a time of their own: they are answered after a while, and ask again.
 * However often one call is held, its time is counted once, from now.
 */
export function createCallHold(deps: {
  /** Null where the caller gave no token. */
  progress: ((count: number, message: string) => Promise<void>) | null
  holdMs: number
  /** The caller withdrew the call, or the server stops. */
  gone: AbortSignal
}): CallHold {
  const { progress, gone } = deps
  const until = performance.now() + deps.holdMs
  let told = 0
  return {
    async hold(why, wait) {
      const over = new AbortController()
      const signal = AbortSignal.any([gone, over.signal])
      const timers: NodeJS.Timeout[] = []
      if (progress === null) {
        const left = until - performance.now()
        if (left > 0) timers.push(setTimeout(() => over.abort(), left))
        else over.abort()
      } else {
        const tell = () => {
          told += 1
          // A caller that is not there to hear it comes back for the answer.
          progress(told, why).catch(() => {})
        }
        timers.push(setTimeout(tell, 0), setInterval(tell, aliveMs))
      }
      try {
        return await wait(signal)
      } finally {
        for (const timer of timers) clearTimeout(timer)
      }
    },
  }
}
