import { describe, expect, it } from 'vitest'
import { sessionState } from '../../../test/support/session-state.ts'
import { newId } from '../../lib/id.ts'
import type { MessageContent, MessageId } from '../message/schema.ts'
import type { SessionState } from '../session/decide.ts'
import { takesSlot, sessionStatuses, type SessionStatus } from '../session/status.ts'
import { decideAgent } from './decide.ts'
import { AgentCommand, type MessageWrite } from './schema.ts'

const began = '2029-12-31T23:59:59.000Z'
const moment = { now: Date.parse('2030-01-01T00:00:00.000Z'), noteId: newId<MessageId>() }
const state = (status: SessionStatus = 'active'): SessionState =>
  sessionState({ protocolMode: 'acp', status, lastActivityAt: '2029-01-01T00:00:00.000Z' })
const write = (text: string, final: boolean): MessageWrite => {
  const content: MessageContent = { type: 'text', text, partial: !final }
  return { id: newId<MessageId>(), role: 'agent', content, final, at: began }
}
const record = (
  session: SessionState,
  writes: MessageWrite[],
  known: [MessageId, 'open' | 'complete'][] = [],
  tool: string | null = null,
) => {
  const command = AgentCommand.parse({ type: 'agent.record', id: session.id, offset: 40, writes, tool, held: [] })
  const decided = decideAgent(session, new Map(known), command, moment)
  if (!decided.ok) throw new Error(decided.fault.code)
  return decided.value
}

describe('an agent’s text', () => {
  it('is added the first time, with the time it began, open or complete', () => {
    const [open, whole] = [write('a', false), write('b', true)]
    const changes = record(state(), [open, whole])
    expect(changes.slice(0, 3)).toMatchObject([
      { type: 'message.added', data: { id: open.id, partial: true }, body: open.content, began },
      { type: 'message.added', data: { id: whole.id }, body: whole.content, began },
      { type: 'agent.recorded', data: { offset: 40 } },
    ])
    expect(changes[1]?.data).not.toHaveProperty('partial')
  })

  it('is updated in place while it is open, and completed once', () => {
    const [more, last] = [write('ab', false), write('abc', true)]
    expect(record(state(), [more], [[more.id, 'open']])[0]).toMatchObject({ type: 'message.updated' })
    expect(record(state(), [last], [[last.id, 'open']])[0]).toMatchObject({
      type: 'message.completed',
      body: last.content,
    })
    expect(record(state(), [last], [[last.id, 'complete']])[0]).toMatchObject({ type: 'message.updated' })
  })

  it('is stored in any status, but only a running session counts it as activity', () => {
    for (const status of sessionStatuses) {
      const types = record(state(status), [write('a', true)], [], 'Run make').map(({ type }) => type)
      expect(types.slice(0, 2)).toEqual(['message.added', 'agent.recorded'])
      expect(types.includes('session.touched')).toBe(takesSlot(status))
    }
  })

  it('leaves out what did not change', () => {
    const recorded = record(state(), []).find(({ type }) => type === 'agent.recorded')
    expect(recorded).toMatchObject({ body: { offset: 40, held: [] } })
    expect(recorded).not.toHaveProperty('body.about')
    expect(recorded).not.toHaveProperty('body.writes')
  })

  it('of an unknown session is refused', () => {
    const { id } = state()
    const command = AgentCommand.parse({ type: 'agent.record', id, offset: 0, writes: [] })
    expect(decideAgent(undefined, new Map(), command, moment)).toMatchObject({ fault: { code: 'session_not_found' } })
  })
})

it('of a hosted agent starts again, whatever the status of its session', () => {
  const session = state('interrupted')
  const decided = decideAgent(session, new Map(), { type: 'agent.host', id: session.id, nodeId: 'n' }, moment)
  expect(decided).toEqual({
    ok: true,
    value: [{ type: 'agent.hosted', data: { id: session.id, nodeId: 'n', childId: null } }],
  })
})
