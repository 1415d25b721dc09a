import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fit, roomOf } from './budget.ts'
import { item, severities, type Item, type Severity } from './item.ts'

const made = (n: number, severity: Severity, text = `thing ${n}`, context: string[] = []): Item =>
  item({
    at: `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.000Z`,
    sessionId: null,
    severity,
    kind: 'output',
    text,
    context,
  })
const shape = ({ at, severity, text, context }: Item) => ({ at, severity, text, context })
const frame = (omitted: object) => ({ events: [], summary: 'What there is.', cursor: '1.a', omitted })
const fitted = (items: readonly Item[], tokens: number, minSeverity: Severity = 'low') =>
  fit(items, { tokens, minSeverity, shape, frame })

describe('a budget of tokens', () => {
  it('is never exceeded, and everything is either listed or counted', () => {
    const one = fc.record({
      severity: fc.constantFrom(...severities),
      text: fc.string({ unit: 'binary', maxLength: 400 }),
      context: fc.array(fc.string({ maxLength: 200 }), { maxLength: 12 }),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), fc.integer({ min: 1, max: 3000 }), (those, tokens) => {
        const items = those.map(({ severity, text, context }, n) => made(n, severity, text, context))
        const told = fitted(items, tokens)
        if (told === null) return
        const whole = JSON.stringify({ ...frame(told.omitted), events: told.events })
        expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(roomOf(tokens))
        const left = Object.values(told.omitted).reduce((sum, n) => sum + n, 0)
        expect(told.events.length + left).toBe(items.length)
      }),
    )
  })

  it('goes to the most important first, listed in order of time', () => {
    const items = [made(1, 'low'), made(2, 'critical'), made(3, 'low'), made(4, 'high'), made(5, 'medium')]
    const told = fitted(items, 100)
    expect(told?.events.map(({ severity }) => severity)).toEqual(['critical', 'high', 'medium'])
    expect(told?.omitted).toEqual({ low: 2, medium: 0, high: 0, critical: 0 })
  })

  it('keeps a line for every critical item before any of them gets its context', () => {
    const trace = Array.from({ length: 20 }, (_, n) => `at line ${n} of the trace`)
    const items = Array.from({ length: 5 }, (_, n) => made(n, 'critical', `panic ${n}`, trace))
    const told = fitted(items, 180)
    expect(told?.events.map(({ text }) => text)).toEqual(['panic 0', 'panic 1', 'panic 2', 'panic 3', 'panic 4'])
  })

  it('leaves out what is below the requested severity, and counts it', () => {
    const told = fitted([made(1, 'low'), made(2, 'medium'), made(3, 'high')], 1000, 'high')
    expect(told).toMatchObject({ events: [{ text: 'thing 3' }], omitted: { low: 1, medium: 1, high: 0 } })
  })

  it('is refused if it is too small for the frame around the events', () => {
    expect(fitted([], 10)).toBeNull()
  })
})
