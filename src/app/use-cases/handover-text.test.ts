import { describe, expect, it } from 'vitest'
import { handoverText, type SaidMessage } from './handover-text.ts'

const text = (role: SaidMessage['role'], words: string): SaidMessage => ({
  role,
  content: { type: 'text', text: words },
})
const nothing = { from: 'codex', task: null, messages: [], progress: null, change: null, next: null }

describe('the words of a handover', () => {
  it('has task, plan, change and conversation, and says last what to do', () => {
    const plan: SaidMessage = {
      role: 'system',
      content: {
        type: 'plan',
        steps: [
          { content: 'Look', status: 'completed' },
          { content: 'Mend', status: 'pending' },
        ],
      },
    }
    const said = handoverText(
      {
        ...nothing,
        task: 'Mend the gate',
        messages: [text('user', 'Mend the gate'), plan, text('agent', 'I looked at it.')],
        change: { files: [{ path: 'gate.ts', change: 'modified', added: 2, removed: 1 }], diff: '+mended\n' },
        next: 'Paint it',
      },
      8000,
    )
    expect(said).toContain('(codex)')
    expect(said).toContain('- [x] Look\n- [ ] Mend')
    expect(said).toContain('- modified gate.ts (+2 -1)')
    expect(said).toContain('person: Mend the gate\n\nagent: I looked at it.')
    expect(said.trimEnd().endsWith('## Next\n\nPaint it')).toBe(true)
  })

  it('keeps to its size, the newest words first', () => {
    const messages = Array.from({ length: 500 }, (_, n) =>
      text(n % 2 === 0 ? 'user' : 'agent', `word-${n} ${'x'.repeat(200)}`),
    )
    const change = { files: [{ path: 'a', change: 'added', added: 1, removed: 0 }], diff: 'y'.repeat(100_000) }
    for (const size of [4000, 8000, 32_000]) {
      const said = handoverText({ ...nothing, task: 'z'.repeat(50_000), messages, change }, size)
      expect(said.length).toBeLessThan(size + 200)
      expect(said).toContain('word-499')
      expect(said).not.toContain('word-0 ')
    }
  })

  it('works for a session in which nothing was said', () => {
    expect(handoverText(nothing, 2000)).toContain('Continue with what is not done yet')
  })
})
