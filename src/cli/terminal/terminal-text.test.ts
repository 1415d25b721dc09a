import { describe, expect, it } from 'vitest'
import type { Detection, TerminalView } from '../../client/contract/terminals.ts'
import { stateLine, stateOf, whatOf } from './terminal-text.ts'

const detection: Detection = {
  waiting: true,
  state: 'waiting',
  promptId: 'p1',
  promptText: 'Continue? [Y/n]',
  promptType: 'yes_no',
  confidence: 0.974,
  matchedPattern: '.',
  filePosition: 10,
  timestamp: '2026-01-01T00:00:00.000Z',
  isDangerous: false,
  dangerReason: null,
  decidedBy: 'kernel',
  suggestedInputs: ['y', 'n'],
  choices: [],
  default: 'y',
  secret: false,
  evidence: [],
}
const view = (more: Partial<TerminalView> = {}): TerminalView =>
  ({
    sessionType: 'script',
    state: 'active',
    name: null,
    command: ['npm', 'init'],
    host: null,
    user: null,
    logFile: '/var/log/install.log',
    exitCode: null,
    exitSignal: null,
    detection,
    ...more,
  }) as TerminalView

describe('text about a terminal', () => {
  it('says what it waits for, of which kind, and how certain that is', () => {
    expect(stateLine(view())).toBe('waiting: Continue? [Y/n] (yes_no, 0.97)')
    const dangerous = { ...detection, isDangerous: true, dangerReason: 'deletes /srv' }
    expect(stateLine(view({ detection: dangerous }))).toBe(
      'waiting: Continue? [Y/n] (yes_no, 0.97, dangerous: deletes /srv)',
    )
  })

  it('shows hidden characters of a prompt, so that nobody answers something else', () => {
    const hidden = { ...detection, promptText: 'Keep\u001b[8m nothing\u202e?' }
    expect(stateLine(view({ detection: hidden }))).toContain('Keep\\x1b[8m nothing\\u{202e}?')
  })

  it('says how it ended, or that nobody is watching', () => {
    expect(stateOf(view({ exitCode: 0 }))).toBe('exited 0')
    expect(stateOf(view({ exitCode: 2 }))).toEqual({ text: 'exited 2', colour: 'red' })
    expect(stateOf(view({ exitSignal: 'SIGKILL' }))).toBe('ended by SIGKILL')
    expect(stateOf(view({ state: 'stopped' }))).toBe('not watched')
    expect(stateLine(view({ state: 'stopped' }))).toBe('not watched')
  })

  it('has its name and what runs there', () => {
    expect(whatOf(view())).toBe('npm init')
    expect(whatOf(view({ name: 'setup' }))).toBe('setup: npm init')
    expect(whatOf(view({ sessionType: 'ssh', host: 'web1', user: 'ann' }))).toBe('ssh ann@web1')
    expect(whatOf(view({ sessionType: 'file' }))).toBe('/var/log/install.log')
  })
})
