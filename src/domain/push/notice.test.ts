import { describe, expect, it } from 'vitest'
import { newRandomId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import { noticeOf } from './notice.ts'

const sessionId = newRandomId<SessionId>()
const told = (type: string, data: object) => noticeOf({ type, sessionId, data } as Parameters<typeof noticeOf>[0])
const of = (type: string, data: object = {}) => told(type, data)?.type ?? null

describe('the notification for an event', () => {
  it.each([
    ['ask.opened', 'needs_you'],
    ['alert.raised', 'needs_you'],
    ['alert.escalated', 'needs_you'],
    ['ask.answered', 'gone'],
    ['ask.expired', 'gone'],
    ['ask.cancelled', 'gone'],
    ['ask.interrupted', 'gone'],
    ['alert.dismissed', 'gone'],
    ['alert.recovered', 'gone'],
    ['alert.lapsed', 'gone'],
    ['ask.voted', null],
    ['ask.consumed', null],
    ['alert.nudged', null],
    ['message.added', null],
    ['queue.added', null],
  ])('%s: %s', (type, worth) => {
    expect(of(type, { id: 'x' })).toBe(worth)
  })

  it.each(['completed', 'cancelled', 'error', 'terminated'])('a session that is %s is done', (to) => {
    expect(of('session.status_changed', { to, reason: null })).toBe('done')
  })

  it.each(['active', 'paused', 'interrupted'])('a session that is %s is not', (to) => {
    expect(of('session.status_changed', { to, reason: null })).toBeNull()
  })

  it('a session that ends for being idle is not announced', () => {
    expect(of('session.status_changed', { to: 'completed', reason: 'idle_timeout' })).toBeNull()
  })

  it('the end of a turn is announced, unless a person cancelled it', () => {
    expect(told('queue.delivered', { outcome: 'ended' })).toMatchObject({ turn: true })
    expect(of('queue.delivered', { outcome: 'failed' })).toBe('done')
    expect(of('queue.delivered', { outcome: 'cancelled' })).toBeNull()
  })

  it('an alert that ended without an id means all alerts of the session', () => {
    expect(told('alert.recovered', { sessionId })).toEqual({
      type: 'gone',
      kind: 'alert',
      id: null,
    })
  })
})
