import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { isGrave } from '../../../src/domain/ask/about.ts'
import { canUndo, whySeparate } from './bulk-answer.ts'

type Subject = Ask['subject']
const command: Subject = { kind: 'command', command: 'ls', cwd: '/w' }
const prompt = (more: Partial<Extract<Subject, { kind: 'terminal_prompt' }>>): Subject => ({
  kind: 'terminal_prompt',
  promptText: 'Go on?',
  promptType: 'yes_no',
  dangerous: false,
  suggestedInputs: [],
  promptId: null,
  secret: false,
  dangerReason: null,
  ...more,
})
const permission = (kinds: readonly string[], toolCall: object = {}): Subject => ({
  kind: 'permission',
  toolCall: { ...toolCall },
  options: kinds.map((kind, index) => ({ optionId: `o${index}`, name: kind, kind: kind as 'allow_once' })),
})
const ask = (subject: Subject, more: Partial<Ask> = {}) =>
  ({ riskLevel: 'low', needed: 1, status: 'open', answer: null, undoneAt: null, subject, ...more }) as Ask

describe('asks that need a second confirmation', () => {
  it('are critical ones, and dangerous terminal prompts', () => {
    expect(isGrave(ask(command, { riskLevel: 'critical' }))).toBe(true)
    expect(isGrave(ask(prompt({ dangerous: true })))).toBe(true)
    expect(isGrave(ask(command, { riskLevel: 'high' }))).toBe(false)
  })
})

describe('asks that can be answered together', () => {
  const mine = { mine: true, mayApprove: true }

  it('are yours, simple to approve, and of low risk', () => {
    expect(whySeparate(ask(command), mine)).toBeNull()
    expect(whySeparate(ask(permission(['allow_once', 'reject_once'])), mine)).toBeNull()
    expect(whySeparate(ask(command), { mine: false, mayApprove: false })).toMatch(/can.t answer it/i)
    expect(whySeparate(ask(command), { mine: true, mayApprove: false })).toMatch(/machine right/)
    expect(whySeparate(ask(command, { riskLevel: 'critical' }), mine)).toMatch(/critical/i)
    expect(whySeparate(ask(command, { riskLevel: 'high' }), mine)).toMatch(/high risk/i)
  })

  it('do not include those that need several people', () => {
    expect(whySeparate(ask(command, { needed: 2 }), mine)).toMatch(/several/i)
  })

  it('do not include those that need text, a choice or a secret', () => {
    expect(whySeparate(ask({ kind: 'wait', message: null }), mine)).toMatch(/separately/)
    expect(whySeparate(ask(prompt({ secret: true })), mine)).toMatch(/secret/i)
    expect(whySeparate(ask(permission(['allow_once', 'allow_once'])), mine)).toMatch(/options/)
  })
})

describe('answers that can be undone', () => {
  const diff: Subject = { kind: 'diff', filePath: 'a', diff: '', files: [] }
  it('are diffs once written, and only once', () => {
    expect(canUndo(ask(diff, { status: 'answered' }))).toBe(false)
    expect(canUndo(ask(diff, { status: 'consumed' }))).toBe(true)
    expect(canUndo(ask(diff, { status: 'consumed', undoneAt: '2026-01-01T00:00:00.000Z' }))).toBe(false)
  })

  it('are granted permissions that change files, not those for a command', () => {
    const given: Partial<Ask> = { status: 'answered', answer: { outcome: 'select', optionId: 'o0', reason: null } }
    const edit = { content: [{ type: 'diff', path: 'a', newText: 'b' }] }
    expect(canUndo(ask(permission(['allow_once'], edit), given))).toBe(true)
    expect(canUndo(ask(permission(['reject_once'], edit), given))).toBe(false)
    expect(canUndo(ask(permission(['allow_once'], { kind: 'execute' }), given))).toBe(false)
  })
})
