import { describe, expect, it } from 'vitest'
import { byUrgency, urgencyOf, type WaitingItem } from './urgency.ts'

const now = Date.parse('2026-01-01T12:00:00.000Z')
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString()
const waiting = (key: string, more: Partial<WaitingItem> = {}): WaitingItem => ({
  mine: true,
  risk: 'low',
  dangerous: false,
  escalated: false,
  expiresAt: null,
  since: at(-10),
  key,
  ...more,
})
const order = (...items: WaitingItem[]) => byUrgency(items, now).map(({ key }) => key)

describe('the order of the inbox', () => {
  it('puts what the viewer may answer before everything else', () => {
    expect(order(waiting('theirs', { mine: false, risk: 'critical' }), waiting('mine'))).toEqual(['mine', 'theirs'])
  })

  it('puts harm before escalations, then high risk, then what expires soon, then the rest', () => {
    const items = [
      waiting('other', { since: at(-999) }),
      waiting('expiring', { expiresAt: at(5) }),
      waiting('high', { risk: 'high' }),
      waiting('escalated', { escalated: true }),
      waiting('dangerous', { dangerous: true }),
      waiting('critical', { risk: 'critical', since: at(-11) }),
    ]
    expect(order(...items)).toEqual(['critical', 'dangerous', 'escalated', 'high', 'expiring', 'other'])
    expect(items.map((item) => urgencyOf(item, now))).toEqual([
      'normal',
      'high',
      'high',
      'high',
      'critical',
      'critical',
    ])
  })

  it('treats what expires in more than five minutes like the rest', () => {
    const later = waiting('later', { expiresAt: at(6), since: at(-1) })
    expect(order(later, waiting('older'))).toEqual(['older', 'later'])
    expect(urgencyOf(later, now)).toBe('normal')
  })

  it('puts what has waited longest first among equals, and is stable', () => {
    const [a, b, c] = [
      waiting('a', { since: at(-1) }),
      waiting('b', { since: at(-3) }),
      waiting('c', { since: at(-3) }),
    ]
    expect(order(a, b, c)).toEqual(['b', 'c', 'a'])
    expect(order(c, b, a)).toEqual(['b', 'c', 'a'])
  })
})
