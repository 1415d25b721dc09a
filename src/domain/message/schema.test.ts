import { describe, expect, it } from 'vitest'
import { newRandomId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import { messageAdded, messageCompleted } from './decide.ts'
import { isOpen, type MessageContent, type MessageId } from './schema.ts'

const tool = { type: 'tool', tool: 'edit', args: {} } as const

describe('a message', () => {
  it.each<[string, boolean, MessageContent]>([
    ['a partial text', true, { type: 'text', text: '', partial: true }],
    ['a partial thought', true, { type: 'thought', text: '', partial: true }],
    ['a whole text', false, { type: 'text', text: '', partial: false }],
    ['a text that does not say', false, { type: 'text', text: '' }],
    ['a pending tool call', true, { ...tool, status: 'pending' }],
    ['a running tool call', true, { ...tool, status: 'in_progress' }],
    ['a completed tool call', false, { ...tool, status: 'completed' }],
    ['a failed tool call', false, { ...tool, status: 'failed' }],
    ['an interrupted tool call', false, { ...tool, status: 'cancelled' }],
    ['a reported tool call without a status', false, tool],
    ['a plan, which may be replaced but is never partial', false, { type: 'plan', steps: [{ status: 'pending' }] }],
  ])('%s may grow: %s', (_what, open, content) => {
    expect(isOpen(content)).toBe(open)
  })

  it('is in the log by its hash; the same text has the same hash', () => {
    const [id, sessionId] = [newRandomId<MessageId>(), newRandomId<SessionId>()]
    const content: MessageContent = { type: 'text', text: 'secret' }
    const added = messageAdded(id, sessionId, 'agent', content)
    expect(JSON.stringify(added.data)).not.toContain('secret')
    expect(messageCompleted(id, sessionId, { text: 'secret', type: 'text' }).data).toEqual({
      id,
      sessionId,
      contentHash: 'contentHash' in added.data ? added.data.contentHash : '',
    })
  })
})
