import { describe, expect, it } from 'vitest'
import { infer } from './infer.ts'
import type { KeptResponse } from './schema.ts'

const now = Date.parse('2030-06-01T00:00:00.000Z')
const day = 86_400_000
const daysAgo = (days: number) => new Date(now - days * day).toISOString()

const answered = (response: string, count: number, more: Partial<KeptResponse> = {}): KeptResponse => ({
  response,
  count,
  successCount: count,
  weight: count,
  lastAt: daysAgo(0),
  recent: 's'.repeat(Math.min(3, count)),
  ...more,
})
const of = (...responses: KeptResponse[]) => infer({ patterns: [{ responses }], merged: false, never: null }, now)

describe('the expected answer', () => {
  it('is nothing below three equal answers', () => {
    const found = of(answered('yes', 2))
    expect(found).toMatchObject({ expected: null, confidence: 0, occurrences: 2 })
    expect(found.alternatives).toMatchObject([{ response: 'yes', count: 2 }])
    expect(found.warnings.join()).toContain('2 times so far')
    expect(of().warnings).toEqual(['this was not answered before'])
  })

  it('is the most common answer, with its share and how often it was accepted', () => {
    const found = of(answered('no', 3, { successCount: 2 }), answered('yes', 1))
    expect(found).toMatchObject({ expected: 'no', occurrences: 4, successRate: 0.667 })
    expect(found.confidence).toBeCloseTo(0.7 * 0.75 + 0.3 * (2 / 3), 2)
    expect(found.alternatives).toMatchObject([{ response: 'yes', count: 1, successRate: 1 }])
  })

  it('is more certain from ten on, and never fully certain', () => {
    const rare = of(answered('no', 8), answered('yes', 1)).confidence
    const often = of(answered('no', 16), answered('yes', 2)).confidence
    expect(often - rare).toBeCloseTo(0.95 - rare, 2)
    expect(of(answered('no', 100)).confidence).toBe(0.95)
  })

  it('is less certain after a failure, and says how many recent ones failed', () => {
    const fine = of(answered('no', 6))
    const failed = of(answered('no', 6, { successCount: 4, recent: 'sff' }))
    expect(failed.confidence).toBeLessThan(fine.confidence)
    expect(failed.warnings).toEqual(['this answer failed 2 of the last 3 times'])
    expect(fine.warnings).toEqual([])
  })

  it('is nothing if the last three all failed', () => {
    expect(of(answered('no', 6, { successCount: 3, recent: 'fff' }))).toMatchObject({ expected: null, confidence: 0 })
  })

  it('fades: half is left after thirty days, and little, but something, after a year', () => {
    const fresh = of(answered('no', 10)).confidence
    expect(of(answered('no', 10, { lastAt: daysAgo(30) })).confidence).toBeCloseTo(fresh / 2, 2)
    const old = of(answered('no', 10, { lastAt: daysAgo(365) }))
    expect(old).toMatchObject({ expected: 'no', confidence: 0.285, warnings: ['last answered 365 days ago'] })
  })

  it('follows a new habit, although the old one has higher counts', () => {
    const found = of(answered('no', 20, { lastAt: daysAgo(120) }), answered('yes', 4))
    expect(found.expected).toBe('yes')
    expect(found.occurrences).toBe(24)
  })

  it('merges patterns with less confidence, and says so', () => {
    const pattern = { responses: [answered('no', 4)] }
    const merged = infer({ patterns: [pattern, pattern], merged: true, never: null }, now)
    expect(merged).toMatchObject({ expected: 'no', occurrences: 8, confidence: 0.76 })
    expect(merged.warnings.join()).toContain('2 patterns')
  })

  it('is nothing if nothing is ever learned there', () => {
    const never = 'dangerous prompts are never learned'
    const found = infer({ patterns: [{ responses: [answered('yes', 9)] }], merged: false, never }, now)
    expect(found).toEqual({
      expected: null,
      confidence: 0,
      occurrences: 0,
      successRate: 0,
      alternatives: [],
      warnings: [never],
    })
  })

  it('leaves out answers that were only listed', () => {
    expect(of(answered('no', 10), answered('yes', 0)).alternatives).toEqual([])
  })
})
