/** Keeps a call open while it waits. */
export type CallHold = {
  /** The result; null if the caller must get a reply first, or is gone. */
  hold<T>(why: string, wait: (signal: AbortSignal) => Promise<T | null>): Promise<T | null>
}

const aliveMs = 5000

/**
 * A caller with a progress token gets progress every few seconds, and waits as long as it takes. Others would time
 * out: they get a reply after `holdMs` and call again. The time counts once per call, from now.
 */
export function createCallHold(deps: {
  /** Null if the caller gave no progress token. */
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
          // A disconnected caller comes back for the reply.
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
