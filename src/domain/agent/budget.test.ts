import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NewAsk } from '../ask/schema.ts'
import type { SessionId } from '../session/id.ts'
import { newRandomId } from '../../lib/id.ts'
import { budgetAsk, overspent, raised } from './budget.ts'

const usage = (costUsd: number | null, used: number | null = null) => ({ costUsd, used, size: null })
const money = (costUsd: number) => ({ costUsd, tokens: null })

describe('a budget', () => {
  it('is used up when it is reached, in money or in tokens', () => {
    expect(overspent(money(2), usage(1.99))).toBeNull()
    expect(overspent(money(2), usage(2))).toBe('$2.00 of $2.00')
    expect(overspent({ costUsd: null, tokens: 100 }, usage(50, 100))).toBe('100 of 100 tokens')
    expect(overspent({ costUsd: 5, tokens: 100 }, usage(1, 120))).toBe('120 of 100 tokens')
  })

  it('says nothing if there is no limit, or nothing was reported', () => {
    expect(overspent(null, usage(9))).toBeNull()
    expect(overspent(money(1), null)).toBeNull()
    expect(overspent(money(1), usage(null, 1_000_000))).toBeNull()
    expect(overspent({ costUsd: null, tokens: 1 }, usage(99))).toBeNull()
  })

  it('once raised has room for the same amount again', () => {
    const amount = fc.integer({ min: 1, max: 1000 })
    fc.assert(
      fc.property(amount, amount, amount, amount, (allowed, tokens, spent, used) => {
        const first = { costUsd: allowed, tokens }
        const more = raised(first, first, usage(spent, used))
        expect(overspent(more, usage(spent, used))).toBeNull()
        expect(more.costUsd).toBe(Math.max(allowed, spent) + allowed)
        expect(more.tokens).toBe(Math.max(tokens, used) + tokens)
      }),
    )
  })

  it('that does not count something still does not count it', () => {
    expect(raised(money(1), money(1), usage(3, 50))).toEqual(money(4))
  })

  it('is asked about under one id each time, and never times out', () => {
    const session = newRandomId<SessionId>()
    const ask = budgetAsk(session, 1, '$2.00 of $1.00')
    expect(NewAsk.parse(ask)).toEqual(ask)
    expect(ask.timeoutSeconds).toBe(0)
    expect(budgetAsk(session, 1, 'other words').id).toBe(ask.id)
    expect(budgetAsk(session, 2, '').id).not.toBe(ask.id)
  })
})
