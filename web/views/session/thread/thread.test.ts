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

describe('text as it is written', () => {
  it('is put behind what is known, each word once, however often it is told', () => {
    let thread = restartThread(page(message('a', text('Hel', true))), 0)
    thread = hear(thread, chunk('a', 1, 'ello'))
    thread = hear(thread, chunk('a', 0, 'Hello'))
    thread = hear(thread, chunk('a', 5, ' there'))
    expect(words(thread)).toEqual(['Hello there'])
    expect(thread.gap).toBe(false)
  })

  it('begins a message of its own', () => {
    const thread = hear(hear(emptyThread, chunk('a', 0, 'Hi')), chunk('b', 0, 'You'))
    expect(words(thread)).toEqual(['Hi', 'You'])
    expect([...thread.unread]).toEqual([
      ['a', 0],
      ['b', 1],
    ])
  })

  it('says that something is missing instead of showing words in the wrong place', () => {
    const known = restartThread(page(message('a', text('Hel', true))), 0)
    expect(hear(known, chunk('a', 4, 'o'))).toMatchObject({ gap: true, messages: known.messages })
    expect(hear(known, chunk('b', 7, 'o'))).toMatchObject({ gap: true, messages: known.messages })
  })

  it('of another session is not heard', () => {
    const other = chunk('a', 0, 'Hi')
    expect(hear(emptyThread, { ...other, data: { ...other.data, sessionId: 'other' } })).toBe(emptyThread)
    expect(hear(emptyThread, { type: 'terminal.state', data: null })).toBe(emptyThread)
  })
})

describe('a tool call or plan as it is now', () => {
  it('replaces what was known of it, in its place', () => {
    const tool = (status: 'pending' | 'completed'): MessageContent => ({ type: 'tool', tool: 'read', args: {}, status })
    const updated = { sessionId: 's', messageId: 't', role: 'system', content: tool('completed') }
    const known = restartThread(page(message('t', tool('pending')), message('a')), 0)
    const thread = hear(known, { type: 'message.updated', data: updated })
    expect(ids(thread)).toEqual(['t', 'a'])
    expect(thread.messages[0]?.content).toMatchObject({ status: 'completed' })
  })
})

describe('reading again', () => {
  it('shows nothing twice and keeps what is older', () => {
    const known: Thread = { ...restartThread(page(message('a'), message('b'), message('c')), 0), next: 'older' }
    const thread = mergeNewest(known, { messages: [message('b'), message('c'), message('d')], next: 'b' }, 0)
    expect(thread && ids(thread)).toEqual(['a', 'b', 'c', 'd'])
    expect(thread?.next).toBe('older')
  })

  it('does not take back words that were heard while the answer was on its way', () => {
    const known = hear(restartThread(page(message('a', text('One', true))), 0), chunk('a', 3, ' two'))
    const thread = mergeNewest(known, page(message('a', text('One', true))), 0)
    expect(thread && words(thread)).toEqual(['One two'])
  })

  it('takes what is complete as it is, even where it is shorter', () => {
    const known = restartThread(page(message('a', text('One two', true))), 0)
    const thread = mergeNewest(known, page(message('a', text('One'))), 0)
    expect(thread && words(thread)).toEqual(['One'])
  })

  it('keeps a message that began after it was asked for, and lets go of one that was to be in it', () => {
    const before = hear(restartThread(page(message('a')), 0), chunk('lost', 0, 'lost'))
    const asked = before.heard
    const known = hear(before, chunk('new', 0, 'new'))
    const thread = mergeNewest(known, page(message('a')), asked)
    expect(thread && ids(thread)).toEqual(['a', 'new'])
  })

  it('puts what was first heard live into the order it is stored in', () => {
    const known = hear(restartThread(page(message('a')), 0), chunk('c', 0, 'c'))
    const thread = mergeNewest(known, page(message('a'), message('b'), message('c', text('c', true))), 0)
    expect(thread && ids(thread)).toEqual(['a', 'b', 'c'])
    expect(thread?.unread.size).toBe(0)
  })

  it('says so where it does not reach what is known', () => {
    const known = restartThread(page(message('a')), 0)
    expect(mergeNewest(known, page(message('x'), message('y')), 0)).toBeNull()
  })

  it('keeps the object of a message that did not change', () => {
    const known = restartThread(page(message('a')), 0)
    expect(mergeNewest(known, page(message('a')), 0)?.messages[0]).toBe(known.messages[0])
  })

  it('ends up as if every frame had been heard, whatever was missed', () => {
    const whole = page(message('a'), message('b', text('two', true)), message('c', text('three', true)))
    const missed = hear(restartThread(page(message('a'), message('b', text('t', true))), 0), chunk('b', 2, 'o'))
    expect(missed.gap).toBe(true)
    const thread = mergeNewest(missed, whole, missed.heard)
    expect(thread && words(thread)).toEqual(['a', 'two', 'three'])
    expect(thread?.gap).toBe(false)
  })
})

describe('older pages', () => {
  it('come before what is known, without what is there already', () => {
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
