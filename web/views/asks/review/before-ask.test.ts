import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../src/domain/message/schema.ts'
import { beforeAsk } from './before-ask.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
const said = (second: number, content: object, role = 'agent') =>
  ({ id: `m${second}`, sessionId: 's', role, content, timestamp: at(second) }) as Message

describe('what came before an ask', () => {
  it('is the last words, the current step and the last calls of the agent', () => {
    const messages = [
      said(1, { type: 'text', text: 'First' }),
      said(2, {
        type: 'plan',
        steps: [
          { content: 'Look', status: 'completed' },
          { content: 'Write', status: 'in_progress' },
        ],
      }),
      said(3, { type: 'tool', tool: 'read', args: {} }),
      said(4, { type: 'tool', tool: 'x', title: 'Run tests', args: {} }),
      said(5, { type: 'text', text: 'Now the price.' }),
      said(6, { type: 'text', text: 'Mine' }, 'user'),
      said(8, { type: 'text', text: 'Afterwards' }),
    ]
    expect(beforeAsk(messages, at(7))).toEqual({
      words: 'Now the price.',
      step: { label: 'Write', number: 2, of: 2 },
      calls: ['read', 'Run tests'],
    })
  })
  it('may be nothing', () => {
    expect(beforeAsk([], at(1))).toEqual({ words: null, step: null, calls: [] })
  })
})
