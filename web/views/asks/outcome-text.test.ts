import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { expectedAsk } from './expected-ask.ts'
import { answererName, outcomeLine, outcomeSignal } from './outcome-text.ts'

const command: Ask['subject'] = { kind: 'command', command: 'ls', cwd: '/w' }
const ended = (more: Partial<Ask>) =>
  ({ status: 'answered', answer: null, subject: command, undoneAt: null, ...more }) as Ask
const yes = { outcome: 'approve', always: false, reason: null } as const

describe('the outcome of an ask', () => {
  it('says who did what', () => {
    expect(outcomeLine(ended({ answer: yes }), 'Ann')).toBe('Approved by Ann')
    expect(outcomeLine(ended({ answer: { ...yes, always: true } }), 'you')).toBe('Approved, always by you')
    expect(outcomeLine(ended({ status: 'expired' }), null)).toMatch(/without an answer/)
    expect(outcomeLine(ended({ status: 'consumed', answer: yes, undoneAt: 'then' }), 'Ann')).toMatch(/undone/)
    const taken = ended({ answer: { outcome: 'reject', reason: null }, retractedAt: 'then' })
    expect([outcomeLine(taken, 'Ann'), outcomeSignal(taken)]).toEqual(['Retracted by Ann', 'plain'])
  })

  it('reads the option of a permission by its kind, not by its name', () => {
    const subject: Ask['subject'] = {
      kind: 'permission',
      toolCall: null,
      options: [{ optionId: 'x', name: 'Yes please', kind: 'reject_once' }],
    }
    expect(outcomeLine(ended({ subject, answer: { outcome: 'select', optionId: 'x', reason: null } }), 'Ann')).toBe(
      'Rejected by Ann',
    )
  })
})

describe('who answered', () => {
  const nameOf = (id: string) => (id === '1' ? 'Ann' : null)
  it('is a name, a rule or the clock', () => {
    expect(answererName('user:1', nameOf)).toBe('Ann')
    expect(answererName('user:2', nameOf)).toBe('a former user')
    expect(answererName('policy:command:npm test', nameOf)).toBe('the policy (command:npm test)')
    expect(answererName('system:clock', nameOf)).toMatch(/timeout/)
    expect(answererName(null, nameOf)).toBeNull()
  })
})

describe('an ask while its answer is being sent', () => {
  const open = { status: 'open', needed: 1, votes: [], subject: command } as unknown as Ask
  it('is shown as answered', () => {
    expect(expectedAsk(open, yes, 'me', 'now')).toMatchObject({ status: 'answered', answeredBy: 'user:me' })
  })

  it('stays open if another person has to approve, too; a rejection closes it at once', () => {
    const shared = { ...open, needed: 2 }
    expect(expectedAsk(shared, yes, 'me', 'now').status).toBe('open')
    expect(expectedAsk(shared, { outcome: 'reject', reason: null }, 'me', 'now').status).toBe('answered')
  })
})
