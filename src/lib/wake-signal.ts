/**
 * Wakes waiters for work. A waiter reads the count, looks for work, then waits for a later count, so that a wake-up in
 * between is not missed.
 */
export type WakeSignal = {
  wake(): void
  /** The number of wake-ups so far. */
  count(): number
  /** Resolves after a wake-up later than `known`, after `ms`, or when the signal is aborted. */
  after(known: number, ms: number | null, signal?: AbortSignal): Promise<void>
}

export function createWakeSignal(): WakeSignal {
  const waiting = new Set<() => void>()
  let next: PromiseWithResolvers<void> | null = null
  let count = 0
  return {
    wake() {
      count += 1
      next?.resolve()
      next = null
      for (const resume of waiting) resume()
    },
    count: () => count,
    after(known, ms, signal) {
      if (count !== known || signal?.aborted) return Promise.resolve()
      // Callers that wait for nothing else share one promise.
      if (ms === null && !signal) return (next ??= Promise.withResolvers()).promise
      return new Promise((resolve) => {
        const resume = () => {
          waiting.delete(resume)
          clearTimeout(timer)
          signal?.removeEventListener('abort', resume)
          resolve()
        }
        const timer = ms === null ? undefined : setTimeout(resume, ms)
        signal?.addEventListener('abort', resume)
        waiting.add(resume)
      })
    },
  }
}
