import { describe, expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import { detect } from './detect.ts'

const pieces = [
  '[',
  '(',
  '[a,',
  '(y/',
  '> ',
  '? ',
  'a ',
  ' ',
  ': ',
  'press ',
  '│ ',
  '┌',
  '<a ',
  '❯ ',
  '-',
  '--',
  '\u2801',
  '(a)b ',
  'x',
  '…',
  '[#',
  '% ',
  '?[',
  '[ a | ',
  '=',
  'please enter ',
  'type y to confirm ',
  '/',
  '/a',
  '~/',
  './',
  'a@',
  'é',
  '↑ ',
  '\t',
  '0',
  ',',
  '"',
  '#',
  '$ ',
  'lines 1',
  'password:',
  'space:',
  '(press ',
  'enter ',
]

/** A large screen filled with one line, or with separate lines, each without and with a prompt at the end. */
function screens(piece: string, cols: number, rows: number) {
  const row = piece.repeat(Math.ceil(cols / piece.length)).slice(0, cols - 1)
  const wrapped = Array.from({ length: rows - 1 }, () => `${row}↩`).join('\n')
  return [
    drawn(`${wrapped}\n${row.slice(0, -2)}▮`, { cols, rows }),
    drawn(`${wrapped}\n${row.slice(0, -6)}? ▮`, { cols, rows }),
    drawn(`${wrapped.replaceAll('↩', '')}\n${row}▮`, { cols, rows }),
    drawn(`${wrapped.replaceAll('↩', '')}\nOverwrite it? [y/N] ▮`, { cols, rows }),
  ]
}

const kernels = [null, { reading: 'read' as const, program: 'p' }, { reading: 'poll' as const, program: 'p' }]

/** Measures CPU time, because wall time depends on how busy the machine is. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('S8 screens designed to take time', () => {
  it.each(pieces)('%j, repeated many times, is judged quickly', (piece) => {
    for (const [cols, rows] of [
      [300, 100],
      [80, 24],
    ] as const)
      for (const screen of screens(piece, cols, rows))
        for (const kernel of kernels) {
          const look = () => cpuMs(() => detect(screen, { ...recorded, kernel }))
          // The first run compiles the regular expressions.
          const spent = look()
          expect(spent < 100 ? spent : Math.min(look(), look())).toBeLessThan(150)
        }
  })

  it('one line of any length costs no more than a screenful', () => {
    const costs = [1000, 4000, 16_000].map((length) => {
      const screen = drawn(`${'/'.repeat(length)}▮`, { cols: length + 1, rows: 24 })
      const look = () => cpuMs(() => detect(screen, { ...recorded, kernel: null }))
      look()
      return Math.min(look(), look())
    })
    expect(costs[2]).toBeLessThan(50 + 20 * (costs[0] ?? 0))
  })

  it('an endless prompt is cut, not dropped', () => {
    const { prompt } = detect(screens('x', 300, 100)[0] ?? drawn('▮'), {
      ...recorded,
      kernel: { reading: 'read', program: 'p' },
    })
    expect(prompt?.text.length).toBeLessThanOrEqual(1000)
  })
})
