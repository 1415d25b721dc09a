import { describe, expect, it } from 'vitest'
import type { SessionId } from '../../domain/session/id.ts'
import { itemsOfOutput, weigh } from './output.ts'

const about = { at: '2026-01-01T00:00:00.000Z', sessionId: '11111111-1111-4111-8111-111111111111' as SessionId }
const told = (text: string) =>
  itemsOfOutput(text, about).map(({ severity, kind, text: words, context }) => ({ severity, kind, words, context }))

describe('what a terminal printed', () => {
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

  it('tells an error with the last command and its trace to the blank line', () => {
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

  it('folds lines that differ in numbers only, and keeps the first and the last', () => {
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

  it('takes ten thousand lines, and long ones, in a moment', () => {
    const long = `${'x'.repeat(100_000)} error`
    const text = Array.from({ length: 10_000 }, (_, n) => (n % 2_000 === 0 ? long : `line ${n} of /a/b/${n}.ts`)).join(
      '\n',
    )
    const began = performance.now()
    expect(itemsOfOutput(text, about).length).toBeGreaterThan(0)
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
