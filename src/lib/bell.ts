/**
 * Rung when there may be something to do. Whoever looks first and waits afterwards says which ring they knew of, so that one
 * in between is not missed; and nothing is left behind by waiting, however long the bell is silent.
 */
export type Bell = {
  ring(): void
  /** How often it rang. */
  rings(): number
  /** Resolves after a ring later than `known`, after `ms`, or when the signal says so. */
  after(known: number, ms: number | null, signal?: AbortSignal): Promise<void>
}

export function createBell(): Bell {
  const waiting = new Set<() => void>()
  let count = 0
  return {
    ring() {
      count += 1
      for (const wake of waiting) wake()
    },
    rings: () => count,
    after(known, ms, signal) {
      if (count !== known || signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          clearTimeout(timer)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const timer = ms === null ? undefined : setTimeout(wake, ms)
        signal?.addEventListener('abort', wake)
        waiting.add(wake)
      })
    },
  }
}
