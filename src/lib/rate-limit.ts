import type { Clock } from './clock.ts'

export type RateLimit = {
  /** Counts one use of this key. Returns the seconds to wait, or null if it is allowed now. */
  take(key: string): number | null
}

/** Beyond this many keys, the least recently used one is dropped: addresses cost an attacker nothing. */
const mostKeys = 10_000

/**
 * Allows `most` uses of a key per time window, which slides. With `countRefused`, refused uses count too: only a pause
 * ends the wait.
 */
export function createRateLimit(options: {
  clock: Pick<Clock, 'now'>
  most: number
  perMs: number
  countRefused?: boolean
}): RateLimit {
  const { clock, most, perMs, countRefused = false } = options
  /** The latest uses of each key, least recently used key first. */
  const uses = new Map<string, number[]>()

  function forgetOld(since: number): void {
    for (const [key, times] of uses) {
      if (uses.size <= mostKeys && (times.at(-1) ?? 0) > since) return
      uses.delete(key)
    }
  }

  return {
    take(key) {
      const now = clock.now()
      const lately = (uses.get(key) ?? []).filter((time) => time > now - perMs)
      const isRefused = lately.length >= most
      if (!isRefused || countRefused) lately.push(now)
      uses.delete(key)
      uses.set(key, lately.slice(-most))
      forgetOld(now - perMs)
      const [first = now] = lately.slice(-most)
      return isRefused ? Math.max(1, Math.ceil((first + perMs - now) / 1000)) : null
    },
  }
}
