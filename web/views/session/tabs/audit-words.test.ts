import { expect, it } from 'vitest'
import { eventWords } from './audit-words.ts'

it('says what happened so that it can be read behind a name', () => {
  expect(eventWords({ type: 'session.status_changed', data: { from: 'active', to: 'paused', reason: null } })).toBe(
    'made it paused, which was active',
  )
  expect(eventWords({ type: 'session.steered', data: { what: 'set_mode', detail: 'quick' } })).toBe(
    'set the mode of the agent: quick',
  )
  expect(eventWords({ type: 'ask.answered', data: { outcome: 'approve', automatic: true } })).toBe(
    'answered an ask: approve (by rule)',
  )
})

it('names what has no words yet, and survives what is not as expected', () => {
  expect(eventWords({ type: 'moon.rose', data: {} })).toBe('moon.rose')
  expect(eventWords({ type: 'queue.delivered', data: {} })).toBe('noted that the turn was ')
})
