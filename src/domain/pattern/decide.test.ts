import { describe, expect, it } from 'vitest'
import { newRandomId } from '../../lib/id.ts'
import { systemStanding, type Actor, type Standing } from '../user/actor.ts'
import type { UserId } from '../user/id.ts'
import { decidePattern, type PatternFacts } from './decide.ts'
import { PatternCommand, type InputEventId, type KeptPattern, type PatternChange } from './schema.ts'

const me = '0199c2d4-0000-7000-8000-000000000001' as UserId
const sessionId = '11111111-1111-4111-8111-111111111111'
const start = Date.parse('2030-01-01T00:00:00.000Z')
const day = 86_400_000

const as = (actor: Actor): Standing => ({ actor, grants: [], memberOf: [], unknown: false })
const person = as({ kind: 'person', userId: me, scope: 'full' })
const agent = as({ kind: 'agent', userId: me, tokenId: null, sessionId: null })
const host = systemStanding('terminal')

const track = (more: object = {}) =>
  PatternCommand.parse({
    type: 'input.track',
    id: newRandomId(),
    sessionId,
    promptText: 'Restart services immediately? (yes/no)',
    promptType: 'yes_no',
    secret: false,
    dangerous: false,
    inputText: 'no',
    source: 'user_typed',
    success: true,
    userId: me,
    program: 'svc',
    ...more,
  })

/** One pattern with its rules, kept in memory as the tables would. */
function memory() {
  let facts: PatternFacts & { rules: PatternFacts['rules'][number][] } = {
    session: { id: sessionId as never, place: '/work' },
    rules: [],
  }
  let responses: KeptPattern['responses'] = []
  let now = start
  const apply = (change: PatternChange) => {
    const { rules } = facts
    if (change.type === 'pattern.learned') {
      const { pattern, changed } = change.body
      responses = [...responses.filter((one) => !changed.some(({ response }) => response === one.response)), ...changed]
      facts = { ...facts, pattern: { ...pattern, responses } }
    }
    if (change.type === 'input.tracked') facts = { ...facts, event: change.body }
    if (change.type === 'pattern.proposed') {
      const { id } = change.data
      const rule = { id, response: change.body.response, status: 'proposed' as const, decidedBy: null, decidedAt: null }
      facts = { ...facts, rules: [...rules.filter((one) => one.id !== id), rule] }
    }
    if (change.type === 'pattern.withdrawn')
      facts = { ...facts, rules: rules.filter(({ id }) => id !== change.data.id) }
    if (
      change.type === 'pattern.dismissed' ||
      change.type === 'pattern.confirmed' ||
      change.type === 'pattern.revoked'
    ) {
      const status = change.type.slice('pattern.'.length) as 'dismissed' | 'confirmed' | 'revoked'
      const decided = { status, decidedBy: change.data.by, decidedAt: new Date(now).toISOString() }
      facts = {
        ...facts,
        rules: rules.map((one) => (one.id === change.data.id ? Object.assign({}, one, decided) : one)),
      }
    }
  }
  const run = (command: PatternCommand, standing: Standing = host, use: Partial<PatternFacts> = {}) => {
    const known = command.type === 'input.track' ? { ...facts, event: undefined } : facts
    const result = decidePattern({ ...known, ...use }, command, { standing, now })
    if (!result.ok) throw new Error(result.fault.code)
    for (const change of result.value) apply(change)
    return result.value.map(({ type }) => type)
  }
  const decide = (type: 'pattern.confirm' | 'pattern.dismiss' | 'pattern.revoke', standing = person) => {
    const rule = facts.rules.at(-1)
    if (!rule || !facts.pattern) throw new Error('there is no rule')
    return run({ type, id: rule.id }, standing, { rule: { ...rule, patternId: facts.pattern.id, userId: me } })
  }
  return {
    run,
    decide,
    answer: (times: number, more: object = {}, standing: Standing = host) =>
      Array.from({ length: times }, () => run(track(more), standing)).flat(),
    wait: (days: number) => {
      now += days * day
    },
    get facts() {
      return facts
    },
  }
}

describe('typed input', () => {
  it('is stored, learned and counted in one step', () => {
    const one = memory()
    expect(one.run(track())).toEqual(['input.tracked', 'pattern.learned'])
    one.run(track({ inputText: 'yes', success: false }))
    const { pattern } = one.facts
    expect(pattern?.context).toEqual({ program: 'svc', host: '', place: '/work' })
    expect(pattern?.responses).toMatchObject([
      { response: 'no', count: 1, successCount: 1 },
      { response: 'yes', count: 1, successCount: 0, recent: 'f' },
    ])
  })

  it.each([
    ['secret', { secret: true, inputText: 'hunter2' }],
    ['a password', { promptText: 'Password: ', promptType: 'password', inputText: 'hunter2' }],
  ])('is never stored if it is %s', (_what, more) => {
    const one = memory()
    expect(one.run(track(more))).toEqual(['input.tracked'])
    expect(one.facts.event).toMatchObject({ inputText: '[REDACTED]', secret: true, patternId: null })
    expect(JSON.stringify(one.facts)).not.toContain('hunter2')
  })

  it('is stored but not learned if it is dangerous or not a person’s', () => {
    for (const more of [
      { dangerous: true },
      { source: 'ai_suggested' },
      { source: 'auto_injected' },
      { userId: null },
    ]) {
      const one = memory()
      expect(one.run(track(more)), JSON.stringify(more)).toEqual(['input.tracked'])
      expect(one.facts.event).toMatchObject({ inputText: 'no', patternId: null })
    }
  })

  it('is judged later, once', () => {
    const one = memory()
    one.run(track({ success: null }))
    const id = one.facts.event?.id as InputEventId
    expect(one.facts.pattern?.responses).toMatchObject([{ count: 1, successCount: 0, recent: '' }])
    expect(one.run({ type: 'input.judge', id, success: true })).toEqual(['input.judged', 'pattern.learned'])
    expect(one.facts.pattern?.responses).toMatchObject([{ count: 1, successCount: 1, recent: 's' }])
    expect(
      one.run({ type: 'input.judge', id, success: true }, host, { event: { ...one.facts.event!, success: true } }),
    ).toEqual([])
  })

  it('can only be reported for oneself', () => {
    const other = as({ kind: 'person', userId: newRandomId<UserId>(), scope: 'full' })
    expect(() => memory().run(track(), other)).toThrow('not_yourself')
  })

  it('counts once, however often it is reported', () => {
    const one = memory()
    const command = track()
    one.run(command)
    expect(one.run(command, host, { event: one.facts.event })).toEqual([])
  })

  it('can’t be in the future', () => {
    const one = memory()
    one.run(track({ at: '2040-01-01T00:00:00.000Z' }))
    expect(one.facts.event?.at).toBe('2030-01-01T00:00:00.000Z')
  })

  it('makes room at a prompt with endlessly many answers', () => {
    const one = memory()
    const texts = Array.from({ length: 130 }, (_none, index) => `title ${index}`)
    for (const inputText of texts) one.run(track({ promptType: 'text', promptText: 'Title: ', inputText }))
    const learned = decidePattern(
      { ...one.facts, event: undefined },
      track({ promptType: 'text', promptText: 'Title: ', inputText: 'x' }),
      {
        standing: host,
        now: start,
      },
    )
    const change = learned.ok ? learned.value.find(({ type }) => type === 'pattern.learned') : undefined
    expect(change?.type === 'pattern.learned' && change.data.occurrences).toBe(100)
  })
})

describe('a proposal', () => {
  it('is made at the fifth equal accepted answer in a row, and collects evidence', () => {
    const one = memory()
    expect(one.answer(4)).not.toContain('pattern.proposed')
    expect(one.answer(1)).toContain('pattern.proposed')
    expect(one.answer(1)).toContain('pattern.proposed')
    expect(one.facts.rules).toMatchObject([{ response: 'no', status: 'proposed' }])
  })

  it('counts from the start after a different answer or a failure', () => {
    for (const broken of [{ inputText: 'yes' }, { success: false }]) {
      const one = memory()
      one.answer(4)
      one.answer(1, broken)
      expect(one.answer(4)).not.toContain('pattern.proposed')
      expect(one.answer(1)).toContain('pattern.proposed')
    }
  })

  it('does not count answers of unknown outcome until it is known', () => {
    const one = memory()
    one.answer(4)
    one.answer(1, { success: null })
    expect(one.facts.rules).toEqual([])
    const id = one.facts.event?.id as InputEventId
    expect(one.run({ type: 'input.judge', id, success: true })).toContain('pattern.proposed')
  })

  it('is never made from an agent’s input, nor at a shell', () => {
    expect(memory().answer(20, {}, agent)).not.toContain('pattern.proposed')
    expect(memory().answer(20, { promptText: 'bob$ ', promptType: 'command', inputText: 'ls' })).not.toContain(
      'pattern.proposed',
    )
  })

  it('is withdrawn when the person answers differently; a confirmed one is revoked', () => {
    const open = memory()
    open.answer(5)
    expect(open.answer(1, { inputText: 'yes' })).toContain('pattern.withdrawn')
    const confirmed = memory()
    confirmed.answer(5)
    confirmed.decide('pattern.confirm')
    expect(confirmed.answer(3)).not.toContain('pattern.revoked')
    expect(confirmed.answer(1, { inputText: 'yes' })).toContain('pattern.revoked')
    expect(confirmed.answer(5)).toContain('pattern.proposed')
  })

  it('rests for thirty days after a person dismissed it', () => {
    for (const [first, second] of [['pattern.dismiss'], ['pattern.confirm', 'pattern.revoke']] as const) {
      const one = memory()
      one.answer(5)
      one.decide(first)
      if (second) one.decide(second)
      expect(one.answer(5)).not.toContain('pattern.proposed')
      one.wait(29)
      expect(one.answer(1)).not.toContain('pattern.proposed')
      one.wait(2)
      expect(one.answer(1)).toContain('pattern.proposed')
    }
  })

  it('is decided by its own person, never by an agent or someone else', () => {
    const one = memory()
    one.answer(5)
    const other = as({ kind: 'person', userId: newRandomId<UserId>(), scope: 'full' })
    expect(() => one.decide('pattern.confirm', agent)).toThrow('agents_may_not')
    expect(() => one.decide('pattern.confirm', other)).toThrow('proposal_not_found')
    expect(() => one.decide('pattern.confirm', host)).toThrow('proposal_not_found')
    expect(() => one.decide('pattern.revoke')).toThrow('rule_decided')
    expect(one.decide('pattern.confirm')).toEqual(['pattern.confirmed'])
    expect(() => one.decide('pattern.dismiss')).toThrow('rule_decided')
    expect(one.decide('pattern.revoke', host), 'Signalbox itself takes back what failed').toEqual(['pattern.revoked'])
  })
})
