import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { arrivalOf, createAnswerKeys, withSecret, withoutSecret, type PendingAnswer } from './sent-answers.ts'

const ask = (more: object = {}) =>
  ({
    id: 'a1',
    status: 'open',
    answer: null,
    answeredBy: null,
    votes: [],
    subject: { kind: 'command', command: 'ls', cwd: '/' },
    ...more,
  }) as unknown as Ask
const approve = { outcome: 'approve', always: false, reason: null } as const
const reject = { outcome: 'reject', reason: null } as const
const given = (more: Partial<PendingAnswer> = {}): PendingAnswer => ({ ask: ask(), answer: approve, ...more })
const secret = (): PendingAnswer => ({
  ask: ask({ subject: { kind: 'terminal_prompt', promptText: 'Password:', secret: true } }),
  answer: { outcome: 'reply', value: 'correct horse' },
})

describe('a secret that is sent', () => {
  it('is not in what the page remembers, and can be read once', () => {
    const shown = withoutSecret(secret())
    expect(JSON.stringify(shown)).not.toContain('correct horse')
    expect(withSecret(shown)).toEqual({ outcome: 'reply', value: 'correct horse' })
    expect(JSON.stringify(withSecret(shown))).not.toContain('correct horse')
  })

  it('has no key that could be compared with another', () => {
    expect(createAnswerKeys(() => 'k').of(secret())).toBeNull()
  })

  it('is the only thing that is masked', () => {
    const plain = given()
    expect(withoutSecret(plain)).toBe(plain)
    expect(withSecret(plain)).toBe(approve)
  })
})

describe('the key of an answer', () => {
  const keys = () => {
    let count = 0
    return createAnswerKeys(() => `k${(count += 1)}`)
  }
  it('is the same when the same answer is retried', () => {
    const { of } = keys()
    expect([of(given()), of(given())]).toEqual(['k1', 'k1'])
  })
  it('differs for another answer or ask, and after the outcome is known', () => {
    const { of, known } = keys()
    const other = given({ ask: ask({ id: 'a2' }) })
    expect([of(given()), of(given({ answer: reject })), of(other)]).toEqual(['k1', 'k2', 'k3'])
    known('a2')
    expect(of(other)).toBe('k4')
  })
})

describe('an answer whose reply was lost', () => {
  it.each([
    ['was answered by me, so', ask({ status: 'answered', answer: approve, answeredBy: 'user:me' }), 'arrived'],
    ['was already applied, so', ask({ status: 'consumed', answer: approve, answeredBy: 'user:me' }), 'arrived'],
    ['waits for others after my vote, so', ask({ votes: [{ userId: 'me' }] }), 'arrived'],
    ['is still open, so', ask(), 'not-arrived'],
    ['was answered by someone else, so', ask({ status: 'answered', answer: approve, answeredBy: 'user:ann' }), 'other'],
    ['was answered differently by me, so', ask({ status: 'answered', answer: reject, answeredBy: 'user:me' }), 'other'],
    ['has ended, so', ask({ status: 'expired' }), 'other'],
  ])('%s it is %s', (_what, now, arrival) => {
    expect(arrivalOf(now, given(), 'me')).toBe(arrival)
  })
})
