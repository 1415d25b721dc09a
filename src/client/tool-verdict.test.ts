import { describe, expect, it } from 'vitest'
import { verdictOf } from './tool-verdict.ts'

const asked = { status: 'answered', answer: null, automatic: false, answeredBy: null } as const

describe('what an ask means for the waiting tool', () => {
  it('is approval, with who approved', () => {
    const answer = { outcome: 'approve', always: false, reason: null } as const
    expect(verdictOf({ ...asked, answer, answeredBy: 'user:1' }, 'Ada')).toEqual({
      decision: 'allow',
      why: 'Approved in Signalbox by Ada.',
    })
  })

  it('names the rule if a policy answered', () => {
    const answer = { outcome: 'approve', always: false, reason: null } as const
    const ruled = { ...asked, answer, automatic: true, answeredBy: 'policy:command:npm test' }
    expect(verdictOf(ruled, null).why).toBe('Approved in Signalbox (policy:command:npm test).')
  })

  it('is a rejection with its reason', () => {
    const answer = { outcome: 'reject', reason: 'not now' } as const
    expect(verdictOf({ ...asked, answer }, null)).toEqual({
      decision: 'deny',
      why: 'Rejected in Signalbox: not now',
    })
  })

  it.each(['expired', 'cancelled', 'interrupted', 'open', 'failed'] as const)('is undecided if it is %s', (status) => {
    expect(verdictOf({ ...asked, status }, null).decision).toBe('open')
  })
})
