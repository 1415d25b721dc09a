import { expect, it } from 'vitest'
import { eventText } from './event-text.ts'

it('describes each event so that it reads well after a name', () => {
  expect(eventText({ type: 'session.status_changed', data: { from: 'active', to: 'paused', reason: null } })).toBe(
    'changed the status from active to paused',
  )
  expect(eventText({ type: 'session.steered', data: { what: 'set_mode', detail: 'quick' } })).toBe(
    'set the mode of the agent: quick',
  )
  expect(eventText({ type: 'ask.answered', data: { outcome: 'approve', automatic: true } })).toBe(
    'answered an ask: approve (by rule)',
  )
})

it('names unknown events, and tolerates unexpected data', () => {
  expect(eventText({ type: 'moon.rose', data: {} })).toBe('moon.rose')
  expect(eventText({ type: 'queue.delivered', data: {} })).toBe('noted that the turn was ')
})
