import { describe, expect, it } from 'vitest'
import { newId, newRandomId } from '../../lib/id.ts'
import type { MessageId } from '../message/schema.ts'
import type { SessionId } from '../session/id.ts'
import { sessionStatuses, type SessionStatus } from '../session/status.ts'
import { decideQueue } from './decide.ts'
import { QueueCommand, QueueStatus, type QueueItem, type QueueItemId } from './schema.ts'

const sessionId = newRandomId<SessionId>()
const session = (status: SessionStatus = 'active') => ({
  id: sessionId,
  status,
  agentPhase: 'awake' as const,
  openWait: null,
  protocolMode: 'acp' as const,
})
const item = (status: QueueStatus = 'waiting', more: Partial<QueueItem> = {}): QueueItem => ({
  id: newId<QueueItemId>(),
  sessionId,
  text: 'do it',
  when: 'next',
  status,
  by: 'user:ann',
  createdAt: '2030-01-01T00:00:00.000Z',
  deliveredAt: null,
  ...more,
})
const messageId = newId<MessageId>()
const facts = { by: 'user:ann', noteId: newId<MessageId>() }
const commandOf = (type: QueueCommand['type'], id: QueueItemId): QueueCommand =>
  QueueCommand.parse({ type, id, sessionId, text: 'do it', messageId })
const about = (type: QueueCommand['type'], known: QueueItem | undefined, status: SessionStatus = 'active') =>
  decideQueue(session(status), known, commandOf(type, known?.id ?? newId<QueueItemId>()), facts)
const typesOf = (result: ReturnType<typeof decideQueue>) =>
  result.ok ? result.value.map(({ type }) => type) : result.fault.code

describe('a prompt', () => {
  it.each(sessionStatuses)('is accepted if the session is active, else refused with the reason: %s', (status) => {
    const refusal = { kind: 'conflict', code: 'session_not_active', hint: expect.any(String), details: { status } }
    expect(about('queue.add', undefined, status)).toMatchObject(
      status === 'active' ? { value: [{ type: 'queue.added' }] } : { fault: refusal },
    )
  })

  it('is in the log by its hash, not by its text', () => {
    const result = about('queue.add', undefined)
    expect(result.ok && result.value[0]).toMatchObject({ data: { by: 'user:ann', when: 'next' }, body: 'do it' })
    expect(result.ok && JSON.stringify(result.value[0]?.data)).not.toContain('do it')
  })

  it('with a known id is not accepted twice', () => {
    expect(typesOf(about('queue.add', item()))).toBe('queue_item_exists')
  })

  it('is sent once, and becomes a message unchanged', () => {
    const result = about('queue.send', item())
    expect(result.ok && result.value).toMatchObject([
      { type: 'queue.sent', data: { messageId } },
      { type: 'message.added', data: { id: messageId, role: 'user' }, body: { type: 'text', text: 'do it' } },
    ])
  })

  it.each(QueueStatus.options)('that is %s', (status) => {
    const known = item(status)
    const late = 'already_sent'
    expect(typesOf(about('queue.send', known))).toEqual(status === 'waiting' ? ['queue.sent', 'message.added'] : late)
    expect(typesOf(about('queue.drop', known))).toEqual(status === 'waiting' ? ['queue.dropped'] : late)
    expect(typesOf(about('queue.settle', known))).toEqual(status === 'sent' ? ['queue.delivered'] : [])
  })

  it('that is settled says how its turn ended', () => {
    const known = item('sent')
    const command = QueueCommand.parse({ type: 'queue.settle', id: known.id, sessionId, outcome: 'cancelled' })
    const result = decideQueue(session(), known, command, { ...facts, by: 'system:acp' })
    expect(result.ok && result.value).toMatchObject([{ type: 'queue.delivered', data: { outcome: 'cancelled' } }])
  })

  it('is not sent in a session that is not running, but can be dropped and settled there', () => {
    for (const status of sessionStatuses.filter((one) => one !== 'active')) {
      expect(typesOf(about('queue.send', item(), status))).toBe('session_not_active')
      expect(typesOf(about('queue.drop', item(), status))).toEqual(['queue.dropped'])
      expect(typesOf(about('queue.settle', item('sent'), status))).toEqual(['queue.delivered'])
    }
  })

  it('of another session, or an unknown one, is not found', () => {
    const other = item('waiting', { sessionId: newRandomId<SessionId>() })
    for (const type of ['queue.send', 'queue.settle', 'queue.drop'] as const) {
      expect(typesOf(about(type, other))).toBe('queue_item_not_found')
      expect(typesOf(about(type, undefined))).toBe('queue_item_not_found')
    }
    expect(typesOf(decideQueue(undefined, undefined, commandOf('queue.add', newId()), facts))).toBe('session_not_found')
  })
})
