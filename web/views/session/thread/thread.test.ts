import { describe, expect, it } from 'vitest'
import type { Message, MessageContent } from '../../../../src/domain/message/schema.ts'
import { applyFrame } from './live-frames.ts'
import { emptyThread, freshLimit, mergeNewest, mergeOlder, restartThread, type Thread } from './thread.ts'

const text = (words: string, partial = false): MessageContent => ({ type: 'text', text: words, partial })
const message = (id: string, content: MessageContent = text(id)): Message =>
  ({ id, sessionId: 's', role: 'agent', content, timestamp: '2026-01-01T00:00:00.000Z' }) as Message
const page = (...messages: Message[]) => ({ messages, next: null as string | null })
const chunk = (messageId: string, at: number, words: string) => ({
  type: 'message.chunk',
  data: { sessionId: 's', messageId, role: 'agent', type: 'text', at, text: words, partial: true },
})
const hear = (thread: Thread, frame: { type: string; data: unknown }) => applyFrame(thread, frame, 's', 'now')
const words = ({ messages }: Thread) => messages.map(({ content }) => ('text' in content ? content.text : content.type))
const ids = ({ messages }: Thread) => messages.map(({ id }) => id)

describe('streaming text', () => {
  it('is appended to known text, each word once, however often it is sent', () => {
    let thread = restartThread(page(message('a', text('Hel', true))), 0)
    thread = hear(thread, chunk('a', 1, 'ello'))
    thread = hear(thread, chunk('a', 0, 'Hello'))
    thread = hear(thread, chunk('a', 5, ' there'))
    expect(words(thread)).toEqual(['Hello there'])
    expect(thread.gap).toBe(false)
  })

  it('starts a new message', () => {
    const thread = hear(hear(emptyThread, chunk('a', 0, 'Hi')), chunk('b', 0, 'You'))
    expect(words(thread)).toEqual(['Hi', 'You'])
    expect([...thread.unread]).toEqual([
      ['a', 0],
      ['b', 1],
    ])
  })

  it('says that text is missing instead of showing it in the wrong place', () => {
    const known = restartThread(page(message('a', text('Hel', true))), 0)
    expect(hear(known, chunk('a', 4, 'o'))).toMatchObject({ gap: true, messages: known.messages })
    expect(hear(known, chunk('b', 7, 'o'))).toMatchObject({ gap: true, messages: known.messages })
  })

  it('from another session is ignored', () => {
    const other = chunk('a', 0, 'Hi')
    expect(hear(emptyThread, { ...other, data: { ...other.data, sessionId: 'other' } })).toBe(emptyThread)
    expect(hear(emptyThread, { type: 'terminal.state', data: null })).toBe(emptyThread)
  })
})

describe('the current state of a tool call or plan', () => {
  it('replaces the known one in its place', () => {
    const tool = (status: 'pending' | 'completed'): MessageContent => ({ type: 'tool', tool: 'read', args: {}, status })
    const updated = { sessionId: 's', messageId: 't', role: 'system', content: tool('completed') }
    const known = restartThread(page(message('t', tool('pending')), message('a')), 0)
    const thread = hear(known, { type: 'message.updated', data: updated })
    expect(ids(thread)).toEqual(['t', 'a'])
    expect(thread.messages[0]?.content).toMatchObject({ status: 'completed' })
  })
})

describe('reading again', () => {
  it('shows nothing twice and keeps older messages', () => {
    const known: Thread = { ...restartThread(page(message('a'), message('b'), message('c')), 0), next: 'older' }
    const thread = mergeNewest(known, { messages: [message('b'), message('c'), message('d')], next: 'b' }, 0)
    expect(thread && ids(thread)).toEqual(['a', 'b', 'c', 'd'])
    expect(thread?.next).toBe('older')
  })

  it('does not drop text that arrived live while the answer was under way', () => {
    const known = hear(restartThread(page(message('a', text('One', true))), 0), chunk('a', 3, ' two'))
    const thread = mergeNewest(known, page(message('a', text('One', true))), 0)
    expect(thread && words(thread)).toEqual(['One two'])
  })

  it('takes a complete message as it is, even if it is shorter', () => {
    const known = restartThread(page(message('a', text('One two', true))), 0)
    const thread = mergeNewest(known, page(message('a', text('One'))), 0)
    expect(thread && words(thread)).toEqual(['One'])
  })

  it('keeps a message that began after the request, and drops one that should have been in the answer', () => {
    const before = hear(restartThread(page(message('a')), 0), chunk('lost', 0, 'lost'))
    const asked = before.heard
    const known = hear(before, chunk('new', 0, 'new'))
    const thread = mergeNewest(known, page(message('a')), asked)
    expect(thread && ids(thread)).toEqual(['a', 'new'])
  })

  it('sorts live messages into their stored order', () => {
    const known = hear(restartThread(page(message('a')), 0), chunk('c', 0, 'c'))
    const thread = mergeNewest(known, page(message('a'), message('b'), message('c', text('c', true))), 0)
    expect(thread && ids(thread)).toEqual(['a', 'b', 'c'])
    expect(thread?.unread.size).toBe(0)
  })

  it('says so if it does not reach the known messages', () => {
    const known = restartThread(page(message('a')), 0)
    expect(mergeNewest(known, page(message('x'), message('y')), 0)).toBeNull()
  })

  it('keeps the object of an unchanged message', () => {
    const known = restartThread(page(message('a')), 0)
    expect(mergeNewest(known, page(message('a')), 0)?.messages[0]).toBe(known.messages[0])
  })

  it('ends up as if every frame had arrived, whatever was missed', () => {
    const whole = page(message('a'), message('b', text('two', true)), message('c', text('three', true)))
    const missed = hear(restartThread(page(message('a'), message('b', text('t', true))), 0), chunk('b', 2, 'o'))
    expect(missed.gap).toBe(true)
    const thread = mergeNewest(missed, whole, missed.heard)
    expect(thread && words(thread)).toEqual(['a', 'two', 'three'])
    expect(thread?.gap).toBe(false)
  })
})

describe('older pages', () => {
  it('come before the known messages, without duplicates', () => {
    const known: Thread = { ...restartThread(page(message('c'), message('d')), 0), next: 'c' }
    const thread = mergeOlder(known, { messages: [message('a'), message('b'), message('c')], next: 'a' })
    expect(ids(thread)).toEqual(['a', 'b', 'c', 'd'])
    expect(thread.next).toBe('a')
  })
})

describe('how much is read again', () => {
  it('reaches back to the oldest message that may still change', () => {
    const still = Array.from({ length: 60 }, (_, index) => message(`m${index}`))
    expect(freshLimit(restartThread(page(...still), 0))).toBe(20)
    expect(freshLimit(restartThread(page(message('open', text('…', true)), ...still), 0))).toBe(71)
  })
})
