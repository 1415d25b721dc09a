import { describe, expect, it } from 'vitest'
import { turnOf } from './current-turn.ts'

type Situation = Parameters<typeof turnOf>[0]
const situation = (turn: object | null, queue: object[], status = 'active') =>
  ({ agentState: { turn, turnless: false }, queue, status }) as unknown as Situation
const turn = { itemId: 'a', startedAt: 'then', cancelled: true }

describe('the running turn', () => {
  it('is what the agent reported', () => {
    expect(turnOf(situation(turn, [{ id: 'a', status: 'sent' }]))).toEqual({ startedAt: 'then', cancelled: true })
    expect(turnOf(situation(null, [{ id: 'b', status: 'waiting' }]))).toBeNull()
  })

  it('is a new one if a prompt was delivered but not reported yet', () => {
    const begun = { startedAt: null, cancelled: false }
    expect(turnOf(situation(null, [{ id: 'b', status: 'sent' }]))).toEqual(begun)
    expect(turnOf(situation(turn, [{ id: 'b', status: 'sent' }]))).toEqual(begun)
  })

  it('is none once the session is over', () => {
    expect(turnOf(situation(turn, [{ id: 'a', status: 'sent' }], 'completed'))).toBeNull()
  })
})
