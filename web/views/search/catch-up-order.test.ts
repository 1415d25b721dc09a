import { describe, expect, it } from 'vitest'
import { byWeight, joined, type CaughtUpEvent } from './catch-up-order.ts'

const event = (text: string, severity: CaughtUpEvent['severity'], at: string): CaughtUpEvent => ({
  at,
  sessionId: null,
  severity,
  kind: 'session',
  text,
  context: [],
  times: 1,
  askId: null,
})

describe('events since the last look', () => {
  it('are sorted by weight, then newest first', () => {
    const events = [
      event('a', 'low', '1'),
      event('b', 'critical', '2'),
      event('c', 'low', '3'),
      event('d', 'high', '4'),
    ]
    expect(byWeight(events).map(({ text }) => text)).toEqual(['b', 'd', 'c', 'a'])
  })

  it('stay when read again, and new ones are added', () => {
    const omitted = { low: 1, medium: 0, high: 0, critical: 0 }
    const first = { events: [event('a', 'low', '1')], summary: 'one', cursor: 'c1', omitted }
    const more = { events: [event('b', 'low', '2')], summary: 'two', cursor: 'c2', omitted }
    expect(joined(undefined, first)).toBe(first)
    expect(joined(first, more)).toMatchObject({ summary: 'two', cursor: 'c2', omitted: { low: 2 } })
    expect(joined(first, more).events).toHaveLength(2)
    expect(joined(first, { ...more, events: [] }).summary).toBe('one')
  })
})
