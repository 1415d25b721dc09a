import { describe, expect, it } from 'vitest'
import { debtAfter, nextLook, type LookTimes } from './look-schedule.ts'

const times = (more: Partial<LookTimes>): LookTimes => ({
  newsAt: 0,
  unseenAt: null,
  lookedAt: 0,
  debtMs: 0,
  settled: false,
  doubt: false,
  ...more,
})

describe('the time of the next look', () => {
  it('is between 15 and 25 ms after the last byte', () => {
    const at = nextLook(times({ newsAt: 1000, unseenAt: 1000, lookedAt: 0 }))
    expect(at).toBeGreaterThanOrEqual(1015)
    expect(at).toBeLessThanOrEqual(1025)
  })

  it('is later and later while it stays quiet and undecided, then every second', () => {
    const looks: number[] = []
    let lookedAt = 0
    while (looks.length < 17) {
      lookedAt = nextLook(times({ newsAt: 0, lookedAt }))
      looks.push(lookedAt)
    }
    expect(looks.slice(0, 5)).toEqual([15, 30, 45, 60, 82])
    expect(looks.slice(-4)).toEqual([600, 1000, 2000, 3000])
  })

  it('is every second while it waits', () => {
    expect(nextLook(times({ newsAt: 0, lookedAt: 15, settled: true }))).toBe(1015)
  })

  it('is every 250 ms while output never stops', () => {
    let lookedAt = 0
    const looks: number[] = []
    for (let now = 1; now <= 1000; now += 1) {
      const at = nextLook(times({ newsAt: now, unseenAt: lookedAt + 1, lookedAt }))
      if (at <= now) {
        lookedAt = now
        looks.push(now)
      }
    }
    expect(looks).toEqual([251, 502, 753])
  })

  it('is soon again if a look contradicts what was known', () => {
    expect(nextLook(times({ lookedAt: 5000, settled: true, doubt: true }))).toBe(5030)
  })

  it('keeps looks within a twentieth of the time in the long run, however expensive they are', () => {
    let [lookedAt, debtMs, spent] = [0, 0, 0]
    for (let now = 1; now <= 60_000; now += 1) {
      if (nextLook(times({ newsAt: now - 15, unseenAt: lookedAt, lookedAt, debtMs })) > now) continue
      debtMs = debtAfter(debtMs, now - lookedAt, 4)
      lookedAt = now
      spent += 4
    }
    expect(spent / 60_000).toBeLessThan(0.055)
  })

  it('is not delayed by one slow look, and never by more than 250 ms', () => {
    expect(nextLook(times({ newsAt: 10, unseenAt: 10, lookedAt: 0, debtMs: 100 }))).toBe(25)
    expect(nextLook(times({ newsAt: 10, unseenAt: 10, lookedAt: 0, debtMs: 900 }))).toBe(250)
  })
})
