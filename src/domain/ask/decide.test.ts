import { describe, expect, it } from 'vitest'
import { answers, subjects } from '../../../test/app/samples.ts'
import { newId, newRandomId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import { sessionStatuses, hasEnded } from '../session/status.ts'
import type { MessageId } from '../message/schema.ts'
import type { UserId } from '../user/id.ts'
import { redacted, type Answer, type Outcome } from './answer.ts'
import { outcomesOf } from './outcomes.ts'
import { decideAsk, decideAskOpen } from './decide.ts'
import type { AskFacts, AskSession, AskState } from './state.ts'
import { AskOrigin, askStatuses, NewAsk, type AskCommand, type AskStatus } from './schema.ts'
import { askKinds, groupKinds } from './kinds.ts'
import { AskSubject, type AskKind } from './subject.ts'

const ann = newId<UserId>()
const bea = newId<UserId>()
const now = Date.parse('2030-01-01T00:00:00.000Z')
const timeouts = { approvalSeconds: 3600, promptSeconds: 1800, waitSeconds: 0 }
const alone = { needed: 1, reviewers: [] }
const routing = { low: alone, high: alone, critical: alone }
const factsOf = (voter: UserId | null, more: Partial<AskFacts> = {}): AskFacts => ({
  now,
  by: voter ? `user:${voter}` : 'policy:x',
  voter,
  bySystem: false,
  unknownAnswerers: [],
  timeouts,
  routing,
  rule: null,
  registered: false,
  noteId: newId<MessageId>(),
  separateRequester: false,
  ...more,
})
const facts = factsOf(ann)

const state = (kind: AskKind, more: Partial<AskState> = {}): AskState => ({
  id: newId(),
  sessionId: newRandomId<SessionId>(),
  status: 'open',
  subject: subjects[kind],
  needed: 1,
  answerers: null,
  answer: null,
  answeredBy: null,
  voters: [],
  expiresAt: null,
  undone: false,
  retracted: false,
  agentGroupId: null,
  requestedBy: null,
  circle: null,
  subjectHash: null,
  riskLevel: 'low',
  ...more,
})

const anyRefusal: unknown = expect.stringMatching(/^(ask_|not_|nothing_|already_)/)
type Known = Exclude<AskCommand, { type: 'ask.open' }>
const outcomes = Object.keys(answers) as Outcome[]
const pairs = askKinds.flatMap((kind) => outcomes.map((outcome) => ({ kind, outcome })))
const effective: readonly AskKind[] = ['diff', 'packages', 'mcp_server', 'create_agent', 'credential', 'admin_command']
const typesOf = (result: ReturnType<typeof decideAsk>) =>
  result.ok ? result.value.map((change) => change.type) : [result.fault.code]
const decide = (ask: AskState, command: Known, by = facts) => decideAsk(ask, command, by)
const answer = (ask: AskState, given: Answer, by = facts) =>
  decide(ask, { type: 'ask.answer', id: ask.id, answer: given }, by)

describe('an answer', () => {
  it('has samples of every kind and outcome', () => {
    for (const kind of askKinds) expect(AskSubject.parse(subjects[kind])).toEqual(subjects[kind])
    expect(new Set(Object.values(outcomesOf).flat())).toEqual(new Set(outcomes))
  })

  it.each(pairs)('$outcome to a $kind', ({ kind, outcome }) => {
    const ask = state(kind)
    // The value of a credential is sealed before; here only its place is stored.
    const given = kind === 'credential' && outcome === 'reply' ? { outcome, value: redacted } : answers[outcome]
    const data = { by: `user:${ann}`, outcome, automatic: false }
    const done = { value: [{ type: 'ask.answered', data, body: given }] }
    const refused = { fault: { kind: 'invalid', code: 'answer_does_not_fit' } }
    expect(answer(ask, given)).toMatchObject(outcomesOf[kind].includes(outcome) ? done : refused)
    // An answer can be claimed only if it has an effect.
    const answered = { ...ask, status: 'answered' as const, answer: answers[outcome], answeredBy: `user:${ann}` }
    const claimable = effective.includes(kind) && outcome === (kind === 'credential' ? 'reply' : 'approve')
    expect(typesOf(decide(answered, { type: 'ask.claim', id: ask.id }))).toEqual([
      claimable ? 'ask.claimed' : 'not_approved',
    ])
  })

  it('is one of the options offered, if any', () => {
    expect(typesOf(answer(state('permission'), { outcome: 'select', optionId: 'maybe', reason: null }))).toEqual([
      'answer_does_not_fit',
    ])
    const subject = { ...subjects.question, options: [{ label: 'Red', value: 'red' }], freeText: false }
    const reply = (value: string) => typesOf(answer(state('question', { subject }), { outcome: 'reply', value }))
    expect(reply('red')).toEqual(['ask.answered'])
    expect(reply('blue')).toEqual(['answer_does_not_fit'])
    const free = state('question', { subject: { ...subject, freeText: true } })
    expect(typesOf(answer(free, { outcome: 'reply', value: 'blue' }))).toEqual(['ask.answered'])
  })

  it('never has the value of a credential itself', () => {
    expect(typesOf(answer(state('credential'), { outcome: 'reply', value: 'hunter2' }))).toEqual([
      'answer_does_not_fit',
    ])
  })

  it('keeps its text out of the log', () => {
    const result = answer(state('question'), { outcome: 'reply', value: 'a secret' })
    expect(result.ok && JSON.stringify(result.value[0]?.data)).not.toContain('secret')
  })

  it.each(askStatuses.filter((status) => status !== 'open'))(
    'to an ask that is %s says what became of it',
    (status) => {
      const ask = state('diff', { status, answeredBy: `user:${bea}`, answer: answers.approve })
      const result = answer(ask, answers.approve)
      const code =
        status === 'expired' || status === 'interrupted' || status === 'cancelled'
          ? `ask_${status}`
          : 'already_answered'
      const details = { status, answeredBy: `user:${bea}`, answer: answers.approve }
      expect(result).toMatchObject({ ok: false, fault: { kind: 'conflict', code, details } })
    },
  )
})

describe('votes', () => {
  const shared = (voters: UserId[] = []) => state('diff', { needed: 2, voters })

  it('the first of two approvals is a vote, the second one answers', () => {
    const first = answer(shared(), answers.approve)
    expect(first).toMatchObject({ ok: true, value: [{ type: 'ask.voted', data: { by: ann, given: 1, needed: 2 } }] })
    const second = answer(shared([ann]), answers.approve, factsOf(bea))
    expect(typesOf(second)).toEqual(['ask.voted', 'ask.answered'])
  })

  it('nobody can approve twice', () => {
    const result = answer(shared([ann]), answers.approve)
    expect(result).toMatchObject({ ok: false, fault: { code: 'already_voted', details: { given: 1, needed: 2 } } })
  })

  it('one rejection ends it, even from someone who had approved', () => {
    expect(typesOf(answer(shared([ann]), answers.reject, factsOf(bea)))).toEqual(['ask.answered'])
    expect(typesOf(answer(shared([ann]), answers.reject))).toEqual(['ask.answered'])
  })

  it('choosing an option that allows is an approval, one that rejects is not', () => {
    const ask = state('permission', { needed: 2 })
    expect(typesOf(answer(ask, answers.select))).toEqual(['ask.voted'])
    expect(typesOf(answer(ask, { outcome: 'select', optionId: 'no', reason: null }))).toEqual(['ask.answered'])
  })
})

describe('every other command', () => {
  const expected: Record<Exclude<Known['type'], 'ask.answer'>, Partial<Record<AskStatus, string>>> = {
    'ask.expire': { open: 'ask.expired' },
    'ask.escalate': {},
    'ask.cancel': { open: 'ask.cancelled' },
    'ask.claim': { answered: 'ask.claimed', applying: 'already_consumed', consumed: 'already_consumed' },
    'ask.release': { applying: 'ask.released' },
    'ask.consume': { applying: 'ask.consumed' },
    'ask.fail': { applying: 'ask.failed' },
    'ask.undo': { consumed: 'ask.undone' },
    'ask.retract': { answered: 'ask.retracted', applying: 'already_consumed', consumed: 'already_consumed' },
  }
  const cases = Object.keys(expected).flatMap((type) => askStatuses.map((status) => ({ type, status }))) as {
    type: keyof typeof expected
    status: AskStatus
  }[]

  it.each(cases)('$type of an ask that is $status', ({ type, status }) => {
    const decidedAlready = ['answered', 'applying', 'consumed', 'failed'].includes(status)
    const ask = state('diff', {
      status,
      answer: decidedAlready ? answers.approve : null,
      expiresAt: '2029-01-01T00:00:00.000Z',
    })
    const result = decide(ask, { type, id: ask.id, reason: null })
    const want = expected[type][status]
    expect(typesOf(result)).toEqual([want ?? anyRefusal])
    expect(result).toMatchObject(want?.startsWith('ask.') ? { ok: true } : { ok: false, fault: { kind: 'conflict' } })
  })

  it('of an unknown ask', () => {
    expect(decideAsk(undefined, { type: 'ask.claim', id: newId() }, facts)).toMatchObject({
      fault: { kind: 'not_found', code: 'ask_not_found' },
    })
  })
})

describe('expiry', () => {
  const due = { expiresAt: '2030-01-01T00:00:00.000Z' }
  const expire = (ask: AskState, by = factsOf(null)) => decide(ask, { type: 'ask.expire', id: ask.id }, by)

  it.each(askKinds)('of a %s', (kind) => {
    const goesOn = {
      type: 'ask.answered',
      data: { by: 'system:clock', automatic: true },
      body: { outcome: 'continue' },
    }
    const change = kind === 'prompt' ? goesOn : { type: 'ask.expired' }
    expect(expire(state(kind, due))).toMatchObject({ value: [change] })
  })

  it.each(['clarification', 'resource_warning', 'error_recovery'] as const)('of a prompt about %s', (promptType) => {
    const ask = state('prompt', { ...due, subject: { ...subjects.prompt, promptType } })
    const waitsOn = ['ask.expiry_lifted', 'message.added', 'session.alerted']
    expect(typesOf(expire(ask))).toEqual(promptType === 'error_recovery' ? waitsOn : ['ask.answered'])
  })

  it('does not come early', () => {
    expect(typesOf(expire(state('diff')))).toEqual(['ask_not_due'])
    expect(typesOf(expire(state('diff', { expiresAt: '2030-01-01T00:00:00.001Z' })))).toEqual(['ask_not_due'])
  })

  const seconds: Record<AskKind, number | null> = {
    ...(Object.fromEntries(askKinds.map((kind) => [kind, 3600])) as Record<AskKind, number | null>),
    prompt: 1800,
    question: 300,
    wait: null,
    terminal_prompt: null,
    ...Object.fromEntries(groupKinds.map((kind) => [kind, 86_400])),
  }
  const opened = (more: object) => {
    const ask = NewAsk.parse({ id: newId(), sessionId: null, origin: 'api', title: 'x', ...more })
    const result = decideAskOpen(undefined, null, { type: 'ask.open', ask }, facts)
    return result.ok && result.value[0]?.type === 'ask.opened' ? result.value[0].data.expiresAt : undefined
  }
  it.each(askKinds)('is set when a %s opens', (kind) => {
    const wanted = seconds[kind]
    expect(opened({ subject: subjects[kind] })).toBe(
      wanted === null ? null : new Date(now + wanted * 1000).toISOString(),
    )
    expect(opened({ subject: subjects[kind], timeoutSeconds: 5 })).toBe('2030-01-01T00:00:05.000Z')
    expect(opened({ subject: subjects[kind], timeoutSeconds: 0 })).toBe(null)
  })

  it('never comes for an error a person has to look at, whatever time was set', () => {
    expect(opened({ subject: { ...subjects.prompt, promptType: 'error_recovery' }, timeoutSeconds: 5 })).toBe(null)
  })
})

describe('opening', () => {
  const sessionId = newRandomId<SessionId>()
  const asker: AskSession = {
    status: 'active',
    workspaceRoot: '/work',
    ownerUserId: ann,
    openApproval: null,
    instruction: null,
  }
  const ask = (origin: string = 'api') =>
    ({
      type: 'ask.open',
      ask: NewAsk.parse({ id: newId(), sessionId, origin, title: 'x', subject: subjects.diff }),
    }) as const

  it.each(sessionStatuses)('for a session that is %s', (status) => {
    const result = decideAskOpen(undefined, { ...asker, status }, ask(), facts)
    expect(result.ok ? 'opened' : result.fault.code).toBe(hasEnded(status) ? 'session_ended' : 'opened')
  })

  it.each(AskOrigin.options)('from %s while an approval is open', (origin) => {
    const openApproval = newId<AskState['id']>()
    const result = decideAskOpen(undefined, { ...asker, openApproval }, ask(origin), facts)
    const sole = origin === 'ask_approval' || origin === 'clearance/request'
    const refused = { fault: { code: 'approval_pending', details: { askId: openApproval } } }
    expect(result).toMatchObject(sole ? refused : { ok: true })
  })

  it('is refused for an id in use, and for an unknown session', () => {
    expect(decideAskOpen(state('diff'), asker, ask(), facts)).toMatchObject({ fault: { code: 'ask_exists' } })
    expect(decideAskOpen(undefined, undefined, ask(), facts)).toMatchObject({ fault: { code: 'session_not_found' } })
  })
})
