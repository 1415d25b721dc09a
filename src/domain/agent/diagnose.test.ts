import { describe, expect, it } from 'vitest'
import { sessionStatuses, type SessionStatus } from '../session/status.ts'
import { Diagnosis } from './about.ts'
import { diagnose, soundsRateLimited, type Signs } from './diagnose.ts'

const at = (seconds: number) => new Date(Date.parse('2030-01-01T00:00:00.000Z') + seconds * 1000).toISOString()
const now = Date.parse(at(600))
const silentAfterMs = 60_000
const calm: Signs = { turn: null, heardAt: at(500), openTools: [], repeats: null, failure: null }
const turn = { itemId: 'i', startedAt: at(0), cancelled: false }
const failure = { message: '429', rateLimited: true, at: at(550) }
const repeats = { title: 'Run make', count: 3 }
const openTools = [{ title: 'Run make', since: at(100) }]
const ask = { title: 'May I?', createdAt: at(300) }

const tell = (signs: Partial<Signs>, more: { status?: SessionStatus; openAsks?: (typeof ask)[] } = {}) => {
  const session = { status: 'active' as const, openAsks: [], endedAt: at(400), ...more }
  const diagnosis = diagnose(session, { ...calm, ...signs }, { now, silentAfterMs })
  expect(Diagnosis.parse(diagnosis)).toEqual(diagnosis)
  return diagnosis
}

/** All signs at once: the first in order is reported. */
const all: Partial<Signs> = { turn, failure, repeats, openTools, heardAt: at(0) }

describe('why nothing is happening', () => {
  it.each([
    ['created', 'starting'],
    ['interrupted', 'dead'],
    ['error', 'dead'],
    ['completed', 'done'],
    ['cancelled', 'done'],
    ['terminated', 'done'],
  ] as const)('a session that is %s: %s, whatever else is known', (status, cause) => {
    expect(tell(all, { status, openAsks: [ask] }).cause).toBe(cause)
  })

  it('an open ask comes before a pause and before anything about the agent', () => {
    for (const status of ['active', 'paused'] as const)
      expect(tell(all, { status, openAsks: [ask] })).toMatchObject({ cause: 'waiting_for_person', since: at(300) })
  })

  it('a pause comes before anything about the agent', () => {
    expect(tell(all, { status: 'paused' }).cause).toBe('paused')
  })

  it('in a turn: looping, then refused by the model, then a hanging program, then a silent model', () => {
    expect(tell(all)).toMatchObject({
      cause: 'looping',
      detail: 'Run make was called 3 times with the same arguments.',
    })
    expect(tell({ ...all, repeats: { ...repeats, count: 2 } })).toMatchObject({ cause: 'rate_limited', since: at(550) })
    expect(tell({ ...all, repeats: null, failure: null })).toMatchObject({ cause: 'child_hung', since: at(100) })
    expect(tell({ turn, heardAt: at(200) })).toMatchObject({ cause: 'model_silent', since: at(200) })
  })

  it('in a turn that makes progress: working', () => {
    expect(tell({ turn, heardAt: at(599), openTools })).toMatchObject({ cause: 'working', since: at(0) })
    expect(tell({ turn, heardAt: at(541) }).cause).toBe('working')
    expect(tell({ turn, heardAt: at(540) }).cause).toBe('model_silent')
  })

  it('a turn that has just begun is not called silent because of earlier silence', () => {
    expect(tell({ turn: { ...turn, startedAt: at(590) }, heardAt: at(10) }).cause).toBe('working')
    expect(tell({ turn: { ...turn, startedAt: at(590) }, heardAt: null }).cause).toBe('working')
  })

  it('between turns: idle, with the last failure', () => {
    expect(tell({})).toMatchObject({ cause: 'idle', since: at(500), hint: null })
    expect(tell({ heardAt: null })).toMatchObject({ cause: 'idle', since: null })
    expect(tell({ failure })).toMatchObject({ cause: 'rate_limited' })
    const broken = { ...failure, rateLimited: false, message: 'no key' }
    expect(tell({ failure: broken })).toMatchObject({ cause: 'idle', detail: 'The last turn failed: no key' })
  })

  it('has a text for every status', () => {
    for (const status of sessionStatuses) expect(tell({}, { status }).detail).not.toBe('')
  })
})

describe('texts of a model that refuses an agent', () => {
  it.each([
    'HTTP 429',
    'Rate limit reached',
    'rate_limit_error',
    'Too Many Requests',
    'RESOURCE_EXHAUSTED',
    'Overloaded',
  ])('%s', (words) => {
    expect(soundsRateLimited(words)).toBe(true)
  })
  it.each(['HTTP 400', 'line 4291', 'no such file', ''])('not: %s', (words) => {
    expect(soundsRateLimited(words)).toBe(false)
  })
})
