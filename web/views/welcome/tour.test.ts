import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import type { Message } from '../../../src/domain/message/schema.ts'
import { isAllowed, tourOf } from './tour.ts'

const tool = (kind: string, status: string) =>
  ({ content: { type: 'tool', tool: kind, args: {}, kind, status } }) as Message
const permission = (kind: string, status: string, second = 1): Ask =>
  ({
    kind: 'permission',
    status,
    createdAt: `2026-01-01T00:00:0${second}.000Z`,
    subject: {
      kind: 'permission',
      toolCall: { kind },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    },
    answer: status === 'open' ? null : { outcome: 'select', optionId: 'yes', reason: null },
  }) as unknown as Ask
const states = (...input: Parameters<typeof tourOf>) => tourOf(...input).map(({ state }) => state)

describe('the guided tour', () => {
  it('begins with reading', () => {
    expect(states([], [])).toEqual(['now', 'todo', 'todo', 'todo', 'todo'])
    expect(states([tool('read', 'in_progress')], [])[0]).toBe('now')
    expect(states([tool('read', 'completed')], [])).toEqual(['done', 'now', 'todo', 'todo', 'todo'])
  })

  it('waits for the answer to the first change, and then for the file', () => {
    const read = tool('read', 'completed')
    const asked = tourOf([read], [permission('edit', 'open')])
    expect(asked.map(({ state }) => state)).toEqual(['done', 'now', 'todo', 'todo', 'todo'])
    expect(asked[1]?.ask?.status).toBe('open')
    expect(states([read, tool('edit', 'in_progress')], [permission('edit', 'answered')])[2]).toBe('now')
    expect(states([read, tool('edit', 'completed')], [permission('edit', 'answered')])[2]).toBe('done')
  })

  it('is over when the question is answered', () => {
    const question = { ...permission('', 'answered', 3), kind: 'elicitation' } as Ask
    const asks = [question, permission('execute', 'answered', 2), permission('edit', 'answered', 1)]
    expect(states([tool('read', 'completed'), tool('edit', 'completed')], asks)).toEqual(Array(5).fill('done'))
  })
})

describe('an answer', () => {
  it('allows by the kind of the chosen option, whatever its name', () => {
    expect(isAllowed(permission('edit', 'answered'))).toBe(true)
    expect(isAllowed(permission('edit', 'open'))).toBe(false)
    const rejected = { ...permission('edit', 'answered'), answer: { outcome: 'reject', reason: null } } as Ask
    expect(isAllowed(rejected)).toBe(false)
  })
})
