import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import { decidePolicy, type RuleCommand } from './decide.ts'
import { ruleStatuses } from './status.ts'
import type { PolicyRule, RuleId, RuleStatus } from './schema.ts'

const rule = (status: RuleStatus, evidence = 1): PolicyRule => ({
  id: newId<RuleId>(),
  workspaceRoot: '/work',
  rule: { kind: 'command', pattern: 'npm test' },
  status,
  askId: null,
  evidence,
  proposedBy: 'user:ann',
  decidedBy: null,
  createdAt: '2030-01-01T00:00:00.000Z',
  decidedAt: null,
})
const propose = (proposedBy: string, evidence = 1): RuleCommand => ({
  type: 'policy.propose',
  id: newId<RuleId>(),
  workspaceRoot: '/work',
  rule: { kind: 'command', pattern: 'npm test' },
  askId: null,
  evidence,
  proposedBy,
})
const typesOf = (result: ReturnType<typeof decidePolicy>) =>
  result.ok ? result.value.map(({ type }) => type) : result.fault.code

describe('a rule', () => {
  it('is proposed; the log has only the hash of its text', () => {
    const result = decidePolicy(undefined, [], propose('user:ann', 4), 'system:policy')
    expect(result.ok && result.value).toMatchObject([
      { type: 'policy.proposed', data: { evidence: 4, by: 'user:ann' }, body: { pattern: 'npm test' } },
    ])
    expect(result.ok && JSON.stringify(result.value[0]?.data)).not.toContain('npm test')
  })

  it('that already waits gets more evidence', () => {
    const known = rule('proposed', 3)
    const result = decidePolicy(undefined, [known], propose('user:bob'), 'system:policy')
    expect(result.ok && result.value).toMatchObject([{ data: { id: known.id, evidence: 4, by: 'user:ann' } }])
  })

  it('that is already in force is not proposed again', () => {
    expect(typesOf(decidePolicy(undefined, [rule('confirmed')], propose('user:bob'), 'x'))).toEqual([])
  })

  it.each(['dismissed', 'revoked'] as const)(
    'that was %s is not learned again, but a person may want it again',
    (status) => {
      expect(typesOf(decidePolicy(undefined, [rule(status)], propose('system:learning'), 'x'))).toEqual([])
      expect(typesOf(decidePolicy(undefined, [rule(status)], propose('user:bob'), 'x'))).toEqual(['policy.proposed'])
    },
  )

  it.each(ruleStatuses)('that is %s is decided on once', (status) => {
    const known = rule(status)
    const about = (type: 'policy.confirm' | 'policy.dismiss' | 'policy.revoke') =>
      typesOf(decidePolicy(known, [], { type, id: known.id }, 'user:ann'))
    const late = 'rule_decided'
    expect(about('policy.confirm')).toEqual(status === 'proposed' ? ['policy.confirmed'] : late)
    expect(about('policy.dismiss')).toEqual(status === 'proposed' ? ['policy.dismissed'] : late)
    expect(about('policy.revoke')).toEqual(status === 'confirmed' ? ['policy.revoked'] : late)
  })

  it('that is unknown is not found, and an existing one is not created twice', () => {
    expect(typesOf(decidePolicy(undefined, [], { type: 'policy.confirm', id: newId() }, 'x'))).toBe('rule_not_found')
    expect(typesOf(decidePolicy(rule('proposed'), [], propose('user:ann'), 'x'))).toBe('rule_exists')
  })
})
