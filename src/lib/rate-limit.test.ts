import { describe, expect, it } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

const limited = (more: { countRefused?: boolean } = {}) => {
  const clock = { time: 0, now: () => clock.time }
  return { clock, limit: createRateLimit({ clock, most: 2, perMs: 60_000, ...more }) }
}

describe('a rate limit', () => {
  it('allows a number of uses per key within a time, and says how long to wait', () => {
    const { clock, limit } = limited()
    expect([limit.take('ann'), limit.take('ann')]).toEqual([null, null])
    clock.time = 20_500
    expect([limit.take('ann'), limit.take('bob')]).toEqual([40, null])
    clock.time = 60_000
    expect(limit.take('ann')).toBeNull()
  })

  it('drops the oldest use from the window, not all of them', () => {
    const { clock, limit } = limited()
    limit.take('ann')
    clock.time = 30_000
    limit.take('ann')
    clock.time = 60_000
    expect([limit.take('ann'), limit.take('ann')]).toEqual([null, 30])
  })

  it('counts refused uses if told to, so that only a pause ends the wait', () => {
    const { clock, limit } = limited({ countRefused: true })
    for (clock.time = 0; clock.time < 300_000; clock.time += 10_000) limit.take('eve')
    expect(limit.take('eve')).toBe(60 - 10)
    clock.time += 60_000
    expect(limit.take('eve')).toBeNull()
  })

  it('forgets the least recently used keys if there are too many', () => {
    const { limit } = limited()
    for (const key of ['ann', 'ann', 'bob']) limit.take(key)
    for (let count = 0; count < 9_999; count += 1) limit.take(`address ${count}`)
    expect([limit.take('bob'), limit.take('bob'), limit.take('ann')]).toEqual([null, expect.any(Number), null])
  })
})
