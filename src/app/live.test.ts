import { expect, it } from 'vitest'
import type { Message } from '../domain/message/schema.ts'
import { silentLogger } from '../lib/log.ts'
import { createLive } from './live.ts'

const message = (id: string, text: string, partial = false) =>
  ({ id, sessionId: 's', role: 'agent', content: { type: 'text', text, partial }, timestamp: id }) as unknown as Message
const { sessionId } = message('1', '')

it('shows what is stored while the stored messages are read, once and in its newest state', () => {
  const live = createLive(silentLogger)
  let growing = [message('2', 'b'), message('3', 'c', true)]
  live.grow(sessionId, () => growing)
  const before = live.growing(sessionId)
  growing = [message('3', 'cc', true)]
  const a = message('1', 'a')
  // Read before 2 was stored, and after.
  expect(live.overlay(sessionId, [a], { before })).toEqual([a, message('2', 'b'), message('3', 'cc', true)])
  expect(live.overlay(sessionId, [a, message('2', 'bb')], { before })).toEqual([
    a,
    message('2', 'bb'),
    message('3', 'cc', true),
  ])
  expect(live.overlay(sessionId, [], { before, since: '2' })).toEqual([message('3', 'cc', true)])
})
