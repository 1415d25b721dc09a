import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { itemsOfOutput, weigh } from './output.ts'

const sessionId = '11111111-1111-4111-8111-111111111111' as SessionId
const printed = (text: string, at = '2026-01-01T00:00:00.000Z') => text.split('\n').map((line) => ({ line, at }))
const told = (text: string) =>
  itemsOfOutput(printed(text), sessionId).map(({ severity, kind, text: words, context }) => ({
    severity,
    kind,
    words,
    context,
  }))

describe('terminal output', () => {
  it.each([
    ['Segmentation fault (core dumped)', 'critical'],
    ['kernel: Out of memory: Killed process 12 (node)', 'critical'],
    ['panic: runtime error: index out of range', 'critical'],
    ['CRITICAL disk is full', 'critical'],
    ['error: cannot open file', 'error'],
    ['TypeError: x is not a function', 'error'],
    ['bash: foo: command not found', 'error'],
    ['npm ERR! code ELIFECYCLE', 'error'],
    ['rm: cannot remove a: Permission denied', 'error'],
    ['warning: unused variable', 'warning'],
    ['npm warn deprecated left-pad', 'warning'],
    ['Tests 12 passed', null],
    ['found 0 vulnerabilities', null],
    ['0 errors, 0 warnings', null],
    ['no critical errors', null],
    ['Finished without errors', null],
    ['errors: 0', null],
    ['terrorist', null],
  ])('%j weighs %s', (line, weight) => {
    expect(weigh(line)).toBe(weight)
  })

  it('reports an error with the last command and its trace up to the blank line', () => {
    const text = [
      'me@host:~$ make test',
      'building',
      'Traceback (most recent call last):',
      '  File "a.py", line 1',
      'ValueError: no',
      '',
      'done',
    ].join('\n')
    expect(told(text)).toEqual([
      { severity: 'low', kind: 'output', words: '2 lines of output', context: ['me@host:~$ make test', 'building'] },
      {
        severity: 'high',
        kind: 'error',
        words: 'Traceback (most recent call last):',
        context: ['$ make test', '  File "a.py", line 1', 'ValueError: no'],
      },
      { severity: 'low', kind: 'output', words: 'done', context: [] },
    ])
  })

  it('folds lines that differ only in numbers, and keeps the first and the last', () => {
    const lines = Array.from({ length: 100 }, (_, n) => `Processed ${n + 1} files`)
    expect(told(lines.join('\n'))).toEqual([
      {
        severity: 'low',
        kind: 'output',
        words: '100 lines of output',
        context: ['Processed 1 files', '⋯ ×100', 'Processed 100 files'],
      },
    ])
  })

  it('dates each item by its first line, and starts a new one after a silence', () => {
    const lines = [
      ...printed('building\nlinking', '2026-01-01T00:00:00.000Z'),
      ...printed('error: no rule', '2026-01-01T00:00:20.000Z'),
      ...printed('\nagain', '2026-01-01T00:05:00.000Z'),
      ...printed('and again', '2026-01-01T00:06:00.000Z'),
    ]
    expect(itemsOfOutput(lines, sessionId).map(({ at, text }) => [at.slice(14, 19), text])).toEqual([
      ['00:00', '2 lines of output'],
      ['00:20', 'error: no rule'],
      ['05:00', 'again'],
      ['06:00', 'and again'],
    ])
  })

  it('handles ten thousand lines, and long ones, quickly', () => {
    const long = `${'x'.repeat(100_000)} error`
    const text = Array.from({ length: 10_000 }, (_, n) => (n % 2_000 === 0 ? long : `line ${n} of /a/b/${n}.ts`)).join(
      '\n',
    )
    const began = cpuMs()
    expect(itemsOfOutput(printed(text), sessionId).length).toBeGreaterThan(0)
    expect(cpuMs() - began).toBeLessThan(2000)
  })
})
