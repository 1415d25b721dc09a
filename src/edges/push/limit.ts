import type { Clock } from '../../lib/clock.ts'

export type Limit = {
  /** Seconds to wait, or null if allowed now. */
  take(who: string): number | null
}

/** So often within so long, for each on their own. */
export function createLimit(clock: Pick<Clock, 'now'>, most: number, perMs: number): Limit {
  const taken = new Map<string, number[]>()
  return {
    take(who) {
      const now = clock.now()
      for (const [name, times] of taken) if ((times.at(-1) ?? 0) <= now - perMs) taken.delete(name)
      const lately = (taken.get(who) ?? []).filter((time) => time > now - perMs)
      const [first] = lately
      if (first !== undefined && lately.length >= most) return Math.ceil((first + perMs - now) / 1000)
      taken.set(who, [...lately, now])
      return null
    },
  }
}
