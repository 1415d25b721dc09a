import { describe, expect, it } from 'vitest'
import { duration, relativeTime } from './relative-time.ts'

describe('times in words', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [3600, '1 h'],
    [86_399, '23 h'],
    [86_400 * 3, '3 d'],
    [86_400 * 90, '3 months'],
    [86_400 * 800, '2 years'],
  ])('%d seconds are %s', (seconds, words) => expect(duration(seconds)).toBe(words))

  it('distinguish past and future', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(relativeTime('2025-12-31T23:50:00Z', now)).toBe('10 min ago')
    expect(relativeTime('2026-01-01T00:10:00Z', now)).toBe('in 10 min')
    expect(relativeTime('2026-01-01T00:00:03Z', now)).toBe('now')
  })
})
