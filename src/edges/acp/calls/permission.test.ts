import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../domain/ask/answer.ts'
import { askStatuses, type AskStatus } from '../../../domain/ask/schema.ts'
import { AskSubject, type PermissionOption } from '../../../domain/ask/subject.ts'
import { permissionSubject, permissionTitle, readOptions, verdictOf } from './permission.ts'

const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
const option = (kind: PermissionOption['kind'], optionId: string = kind): PermissionOption => ({
  optionId,
  name: optionId,
  kind,
})
const approve: Answer = { outcome: 'approve', always: false, reason: null }
const reject: Answer = { outcome: 'reject', reason: null }
const select = (optionId: string): Answer => ({ outcome: 'select', optionId, reason: null })
const answered = (answer: Answer) => ({ status: 'answered' as const, answer })
const picked = (optionId: string) => ({ outcome: 'selected', optionId })
const cancelled = { outcome: 'cancelled' }

const anyOptions = fc.array(
  fc.record({
    optionId: fc.constantFrom('a', 'b', 'c', 'd'),
    name: fc.string(),
    kind: fc.constantFrom(...kinds, 'allow_session', 'ask_later', ''),
  }),
  { maxLength: 6 },
)
const allows = (options: readonly { kind: string; optionId: string }[], id: string) =>
  options.some(({ kind, optionId }) => optionId === id && !kind.startsWith('reject'))
const rejects = (options: readonly { kind: string; optionId: string }[], id: string) =>
  options.some(({ kind, optionId }) => optionId === id && kind.startsWith('reject'))

describe('a permission', () => {
  it('that is rejected, expired or cancelled never picks an option that allows', () => {
    const refusals: { status: AskStatus; answer: Answer | null }[] = [
      answered(reject),
      answered({ outcome: 'decline', reason: null }),
      ...(['expired', 'cancelled', 'interrupted', 'failed'] as const).map((status) => ({ status, answer: null })),
    ]
    fc.assert(
      fc.property(anyOptions, fc.constantFrom(...refusals), (offered, ask) => {
        const known = offered.filter(({ kind }) => kinds.some((one) => one === kind))
        const verdict = verdictOf(readOptions(offered), ask)
        expect(verdict).toMatchObject({ allowed: false, always: false })
        expect(verdict.outcome.outcome === 'selected' && allows(known, verdict.outcome.optionId)).toBe(false)
      }),
    )
  })

  it('whatever the answer, allows only with an option that was offered to allow', () => {
    const answers = fc.oneof(
      fc.constantFrom<Answer>(approve, reject, { outcome: 'approve', always: true, reason: null }),
      fc.constantFrom('a', 'b', 'c', 'd', 'never offered').map(select),
    )
    fc.assert(
      fc.property(anyOptions, answers, fc.constantFrom(...askStatuses), (offered, answer, status) => {
        const options = readOptions(offered)
        const { outcome, allowed } = verdictOf(options, { status, answer })
        const taken = outcome.outcome === 'selected' ? outcome.optionId : null
        expect(allowed && (taken === null || !allows(options, taken) || rejects(options, taken))).toBe(false)
        expect([null, ...options.map(({ optionId }) => optionId)]).toContain(taken)
      }),
    )
  })

  it('is allowed once on approval, never always', () => {
    const options = [option('allow_always'), option('allow_once'), option('reject_once')]
    expect(verdictOf(options, answered(approve))).toEqual({
      outcome: picked('allow_once'),
      allowed: true,
      always: false,
    })
  })

  it('without a way to allow it once is not approved by a plain yes', () => {
    const options = [option('allow_always'), option('reject_once')]
    expect(verdictOf(options, answered(approve))).toMatchObject({ outcome: picked('reject_once'), allowed: false })
    expect(verdictOf([option('allow_always')], answered(approve))).toMatchObject({ outcome: cancelled })
  })

  it('to allow always is reported to the agent as once, if the agent offers that', () => {
    const options = [option('allow_always'), option('allow_once')]
    expect(verdictOf(options, answered(select('allow_always')))).toEqual({
      outcome: picked('allow_once'),
      allowed: true,
      always: true,
    })
    expect(verdictOf([option('allow_always')], answered(select('allow_always')))).toMatchObject({
      outcome: picked('allow_always'),
      always: true,
    })
  })

  it('returns the chosen rejection, or else the mildest', () => {
    const options = [option('reject_always'), option('reject_once'), option('allow_once')]
    expect(verdictOf(options, answered(select('reject_always'))).outcome).toEqual(picked('reject_always'))
    expect(verdictOf(options, answered(reject)).outcome).toEqual(picked('reject_once'))
    expect(verdictOf(options, { status: 'expired', answer: null }).outcome).toEqual(picked('reject_once'))
  })

  it('is cancelled with its ask, even if the agent offers a rejection', () => {
    for (const status of ['cancelled', 'interrupted'] as const)
      expect(verdictOf([option('reject_once')], { status, answer: approve }).outcome).toEqual(cancelled)
  })

  it('does not offer options of an unknown kind', () => {
    const offered = [{ optionId: 'x', name: 'For this session', kind: 'allow_session' }, option('reject_once')]
    expect(readOptions(offered)).toEqual([option('reject_once')])
  })

  it('does not reject with an id that also allows', () => {
    const options = [option('reject_once', 'same'), option('allow_once', 'same')]
    expect(verdictOf(options, answered(reject)).outcome).toEqual(cancelled)
  })

  it.each([approve, select('same')])('does not allow with an id that also rejects: %o', (answer) => {
    const options = [option('allow_once', 'same'), option('reject_once', 'same')]
    expect(verdictOf(options, answered(answer))).toMatchObject({ outcome: cancelled, allowed: false })
    const mild = [...options, option('reject_always', 'no')]
    expect(verdictOf(mild, answered(answer))).toMatchObject({ outcome: picked('no'), allowed: false })
  })
})

describe('what a person sees of a permission', () => {
  const tool = { type: 'tool' as const, tool: 'other', args: {} }

  it('is a subject like any other', () => {
    const subject = permissionSubject({ ...tool, title: 'Run make' }, [option('allow_once')])
    expect(AskSubject.parse(subject)).toEqual(subject)
  })

  it('has a title of one line, limited in length, and never empty', () => {
    expect(permissionTitle({ ...tool, title: ' Run\n  make \t all' })).toBe('Run make all')
    expect(permissionTitle({ ...tool, title: 'x'.repeat(5000) })).toHaveLength(500)
    expect(permissionTitle({ ...tool, title: '\n ' })).toBe('The agent asks for permission')
    expect(permissionTitle({ ...tool, title: 'a\0b' })).not.toContain('\0')
    expect(permissionTitle({ ...tool, tool: 'edit' })).toBe('edit')
  })
})
