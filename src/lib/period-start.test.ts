import { expect, it } from 'vitest'
import { periodStart } from './period-start.ts'

const at = (text: string) => Date.parse(text)

it('a day begins at midnight of its time zone, also when the clocks change', () => {
  expect(periodStart('day', 'UTC', at('2026-03-29T12:00:00Z'))).toBe('2026-03-29T00:00:00.000Z')
  expect(periodStart('day', 'UTC', at('2026-03-29T00:00:00Z'))).toBe('2026-03-29T00:00:00.000Z')
  expect(periodStart('day', 'Europe/Berlin', at('2026-03-29T12:00:00Z'))).toBe('2026-03-28T23:00:00.000Z')
  expect(periodStart('day', 'Europe/Berlin', at('2026-03-30T12:00:00Z'))).toBe('2026-03-29T22:00:00.000Z')
  expect(periodStart('day', 'Asia/Kathmandu', at('2026-03-29T18:20:00Z'))).toBe('2026-03-29T18:15:00.000Z')
  expect(periodStart('month', 'America/New_York', at('2026-04-01T03:00:00Z'))).toBe('2026-03-01T05:00:00.000Z')
})
