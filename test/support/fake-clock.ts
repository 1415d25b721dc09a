import type { Clock } from '../../src/lib/clock.ts'

export type FakeClock = Clock & {
  /** Advances time; every timer on the way fires at its own moment, in order. */
  advance(ms: number): void
  /** When the pending timers are due, earliest first. */
  timers(): readonly number[]
}

/** Time only moves when a test moves it. */
export function fakeClock(start = Date.parse('2030-01-01T00:00:00.000Z')): FakeClock {
  let now = start
  const waiting = new Set<{ time: number; callback: () => void }>()
  const earliest = () => [...waiting].toSorted((a, b) => a.time - b.time)[0]

  function fireUpTo(target: number): void {
    for (let next = earliest(); next && next.time <= target; next = earliest()) {
      waiting.delete(next)
      now = Math.max(now, next.time)
      next.callback()
    }
  }

  return {
    now: () => now,
    at(time, callback) {
      const timer = { time, callback }
      waiting.add(timer)
      // As with a real timer, what is already due comes soon, but never before `at` returned.
      if (time <= now) setImmediate(() => waiting.has(timer) && fireUpTo(now))
      return { [Symbol.dispose]: () => void waiting.delete(timer) }
    },
    advance(ms) {
      const target = now + ms
      fireUpTo(target)
      now = target
    },
    timers: () => [...waiting].map(({ time }) => time).toSorted((a, b) => a - b),
  }
}
