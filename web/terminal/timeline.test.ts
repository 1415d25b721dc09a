import { describe, expect, it } from 'vitest'
import { createTimeline, placeOf, type Timeline } from './timeline.ts'

const read = (...lines: unknown[]): Timeline => {
  const timeline = createTimeline()
  for (const line of lines) timeline.add(typeof line === 'string' ? line : JSON.stringify(line))
  return timeline.done()
}
const header = { version: 2, width: 100, height: 30 }

describe('the timeline of a recording', () => {
  it('has the size from the header, and the output with its times', () => {
    const { cols, rows, moments, duration } = read(header, [0.5, 'o', 'a'], [1.25, 'o', 'b'])
    expect([cols, rows, duration]).toEqual([100, 30, 1.25])
    expect(moments.map(({ at, text }) => [at, text])).toEqual([
      [0.5, 'a'],
      [1.25, 'b'],
    ])
  })

  it('cuts every idle time to two seconds', () => {
    const { moments, duration } = read(header, [100, 'o', 'a'], [101, 'o', 'b'], [5000, 'o', 'c'])
    expect(moments.map(({ at }) => at)).toEqual([2, 3, 5])
    expect(duration).toBe(5)
  })

  it('has resizes, except impossible ones', () => {
    const { moments } = read(header, [0, 'r', '120x40'], [0, 'r', '0x99999'])
    expect(moments.map(({ size }) => size)).toEqual([{ cols: 120, rows: 40 }, null])
  })

  it('skips unknown lines and times that go back', () => {
    const { moments } = read('', 'not json', 'null', header, [1, 'i', 'typed'], [1, 'o', 'a'], [0.5, 'o', 'b'], ['x'])
    expect(moments.map(({ at, text }) => [at, text])).toEqual([
      [1, 'a'],
      [1, 'b'],
    ])
  })

  it('has a default size if the header has none', () => {
    expect(read({ version: 2 })).toMatchObject({ cols: 80, rows: 24, duration: 0 })
  })

  it('finds the position of a time, with idle times cut', () => {
    const began = Date.parse('2026-01-01T00:00:00Z') / 1000
    const timeline = read({ ...header, timestamp: began }, [1, 'o', 'a'], [600, 'o', 'b'], [1200, 'o', 'c'])
    expect(placeOf(timeline, '2026-01-01T00:10:00Z')).toBe(3)
    expect(placeOf(timeline, '2025-01-01T00:00:00Z')).toBe(0)
    expect(placeOf(read(header, [1, 'o', 'a']), '2026-01-01T00:00:00Z')).toBe(0)
  })
})
