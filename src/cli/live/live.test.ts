import { describe, expect, it } from 'vitest'
import type { Message, MessageContent } from '../../domain/message/schema.ts'
import { plain, type Output } from '../output.ts'
import { createCleaner } from '../clean-text.ts'
import { createJsonView } from './json-view.ts'
import { createScreen } from './screen.ts'
import { createTextView } from './text-view.ts'
import type { LiveView } from './view.ts'
import { createWrap } from '../wrap-lines.ts'

describe('text that comes in pieces', () => {
  const dirty = 'a\u001b[31mred\u001b[0m b\u001b]8;;http://x\u001b\\link\u001b]8;;\u0007\r\nnext\u009b2J \u{1f44d} end'

  it('is cleaned the same way wherever it was cut', () => {
    for (let size = 1; size <= dirty.length; size += 1) {
      const cleaner = createCleaner()
      let clean = ''
      for (let at = 0; at < dirty.length; at += size) clean += cleaner.push(dirty.slice(at, at + size))
      expect(clean + cleaner.end()).toBe('ared blink\nnext \u{1f44d} end')
    }
  })

  it('is not held back forever by an unterminated sequence', () => {
    const cleaner = createCleaner()
    const all = cleaner.push(`\u001b]0;${'x'.repeat(5000)}`) + cleaner.push('after')
    expect(all).toContain('after')
  })

  it('breaks between words, and keeps the breaks of the lines themselves', () => {
    const wrap = createWrap(12)
    const text = ['The quick br', 'own fox jumps\n\n  indented ', 'and-a-very-long-word here']
    const wrapped = text.map((part) => wrap.push(part)).join('') + wrap.end()
    expect(wrapped).toBe('The quick\nbrown fox\njumps\n\n  indented\nand-a-very-long-word\nhere')
  })

  it('is not wrapped without a terminal', () => {
    expect(createWrap(Number.POSITIVE_INFINITY).push('as it is ')).toBe('as it is ')
  })
})

function recorder(): { out: Output; text(): string } {
  let written = ''
  const out: Output = {
    print: (text) => void (written += `${text}\n`),
    async write(text) {
      written += text
    },
    note: (text) => void (written += `[${text}]\n`),
    json: () => {},
    width: Number.POSITIVE_INFINITY,
    paint: plain,
  }
  return { out, text: () => written }
}

const message = (id: string, content: MessageContent, role: Message['role'] = 'agent'): Message =>
  ({ id, sessionId: 's', role, content, timestamp: '2026-06-15T12:00:00.000Z' }) as Message

async function shown(play: (view: LiveView) => void): Promise<string> {
  const { out, text } = recorder()
  const screen = createScreen(out)
  const view = createTextView(screen, out)
  play(view)
  view.settle()
  screen.finish()
  await screen.flush()
  return text()
}

const chunk = (at: number, text: string, messageId = 'm') =>
  ({ messageId, role: 'agent', type: 'text', at, text }) as const

describe('a conversation', () => {
  it('shows each word once, however it arrives', async () => {
    const text = await shown((view) => {
      view.message(message('m', { type: 'text', text: 'Hello wor', partial: true }))
      expect(view.chunk(chunk(6, 'world'))).toBe(true)
      expect(view.chunk(chunk(6, 'world'))).toBe(true)
      expect(view.chunk(chunk(11, ', all'))).toBe(true)
      view.message(message('m', { type: 'text', text: 'Hello world, all of you.', partial: false }))
      expect(view.isWhole('m')).toBe(true)
    })
    expect(text).toBe('Hello world, all of you.\n')
  })

  it('reports missing text', async () => {
    const text = await shown((view) => {
      expect(view.chunk(chunk(0, 'One '))).toBe(true)
      expect(view.chunk(chunk(8, 'three'))).toBe(false)
      view.message(message('m', { type: 'text', text: 'One two three', partial: true }))
      expect(view.chunk(chunk(8, 'three'))).toBe(true)
    })
    expect(text).toBe('One two three\n')
  })

  it('shows who speaks, and groups blocks of one kind', async () => {
    const text = await shown((view) => {
      view.message(message('u', { type: 'text', text: 'Fix it\nplease' }, 'user'))
      view.message(message('t', { type: 'thought', text: 'Hm.' }, 'system'))
      view.message(message('a', { type: 'text', text: 'I will.' }))
      view.message(message('n', { type: 'text', text: 'The agent crashed.' }, 'system'))
    })
    expect(text).toBe('> Fix it\n> please\n\n(thinks) Hm.\n\nI will.\n\n! The agent crashed.\n')
  })

  it('shows a tool call when it starts and when it ends, with what it changed', async () => {
    const tool = { type: 'tool', tool: 'edit', args: {}, toolCallId: 'c', title: 'Edit a.txt', kind: 'edit' } as const
    const content = [{ type: 'diff', path: '/w/a.txt', oldText: 'one\ntwo\n', newText: 'one\n2\n' }]
    const text = await shown((view) => {
      view.updated({ messageId: 'x', role: 'system', content: { ...tool, status: 'pending' } })
      view.updated({ messageId: 'x', role: 'system', content: { ...tool, status: 'in_progress', content } })
      view.updated({ messageId: 'x', role: 'system', content: { ...tool, status: 'completed', content } })
      view.message(message('x', { ...tool, status: 'completed', content }, 'system'))
    })
    expect(text.split('\n')).toEqual([
      '→ Edit a.txt',
      '✓ Edit a.txt',
      '  /w/a.txt',
      '  @@ -1,2 +1,2 @@',
      '   one',
      '  -two',
      '  +2',
      '',
    ])
  })

  it('shows a diff once if it was shown with the ask', async () => {
    const content = [{ type: 'diff', path: '/w/a.txt', oldText: null, newText: 'x\n' }]
    const text = await shown((view) => {
      view.diffShown('c')
      view.message(message('x', { type: 'tool', tool: 'edit', args: {}, toolCallId: 'c', title: 'Edit', content }))
    })
    expect(text).toBe('✓ Edit\n')
  })

  it('shows a plan as a checklist, and then only what changed', async () => {
    const steps = (...statuses: string[]) =>
      statuses.map((status, index) => ({ content: `Step ${index + 1}`, priority: 'medium', status }))
    const text = await shown((view) => {
      view.updated({
        messageId: 'p',
        role: 'system',
        content: { type: 'plan', steps: steps('in_progress', 'pending') },
      })
      view.updated({ messageId: 'p', role: 'system', content: { type: 'plan', steps: steps('completed', 'pending') } })
    })
    expect(text).toBe('[>] Step 1\n[ ] Step 2\n[x] Step 1\n')
  })

  it('shows a plan that changes in the middle of a sentence after it', async () => {
    const text = await shown((view) => {
      view.chunk(chunk(0, 'Commands are '))
      view.updated({ messageId: 'p', role: 'system', content: { type: 'plan', steps: ['Look'] } })
      view.chunk(chunk(13, 'asked for, too.'))
    })
    expect(text).toBe('Commands are asked for, too.\n\n- Look\n')
  })

  it('for programs is one line each, and nothing twice', async () => {
    const { out, text } = recorder()
    const view = createJsonView(out)
    view.message(message('m', { type: 'text', text: 'Hello', partial: true }))
    view.message(message('m', { type: 'text', text: 'Hello', partial: true }))
    expect(view.chunk(chunk(0, 'Hello'))).toBe(true)
    expect(view.chunk(chunk(5, ' you'))).toBe(true)
    expect(view.chunk(chunk(20, '!'))).toBe(false)
    await view.flush()
    const lines = text().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['message', 'message.chunk'])
  })
})
