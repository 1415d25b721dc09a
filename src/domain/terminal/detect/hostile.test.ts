import { describe, expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import { figure, scale } from '../../../../test/support/scale.ts'
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
  'é',
  'を',
  'をя',
  'NB确',
  '?[',
  'token',
  '>한+--',
  'é+--enter ',
]

/** What makes a look read more closely. */
const harms = [
  'delete ',
  'will be removed ',
  '[y/N] ',
  'Continue? ',
  '1) ',
  '/dev/sdb ',
  '删除',
  'not ',
  'overwrite the ',
  'password for ',
  'to ',
  '"a" ',
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
      [1000, 50],
      [80, 24],
    ] as const)
      for (const screen of screens(piece, cols, rows))
        for (const kernel of kernels) {
          const look = () => cpuMs(() => detect(screen, { ...recorded, kernel }))
          // The first run compiles the regular expressions.
          const spent = look()
          // 5 ms on a machine of its own; other work on the same cores makes it a few times as long.
          expect(spent < 20 ? spent : Math.min(look(), look(), look())).toBeLessThan(20)
        }
  })

  /** Plain work of the same kind, for comparison: a slow machine is slow at both. */
  const plainText = 'ab'.repeat(4_000_000)
  const plainWork = (): boolean => /[cd]e/u.test(plainText)

  const least = (work: () => unknown, times = 3): number =>
    Math.min(...Array.from({ length: times }, () => cpuMs(() => void work())))

  it('a look at any screen of 1,000 columns costs a bounded amount of work', { timeout: 60_000 }, () => {
    let seed = 11
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const pick = (from: readonly string[]): string => from[random(from.length)] ?? ''
    const parts = [...pieces, ...harms]
    let worst = { ms: 0, unit: '' }
    for (let count = 0; count < scale({ test: 60, long: 600 }); count += 1) {
      const unit = Array.from({ length: 1 + random(3) }, () => pick(parts)).join('')
      const screen = screens(unit, 1000, 50)[random(4)] ?? drawn('▮')
      const kernel = kernels[random(3)] ?? null
      const look = () => detect(screen, { ...recorded, kernel })
      look()
      const ms = least(look)
      if (ms > worst.ms) worst = { ms, unit }
    }
    plainWork()
    const plain = least(plainWork, 30)
    figure(
      'the slowest look',
      `${worst.ms.toFixed(1)} ms, ${(worst.ms / plain).toFixed(1)} times plain work, at ${JSON.stringify(worst.unit)}`,
    )
    expect(worst.ms / plain, worst.unit).toBeLessThan(5)
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
    expect(prompt?.text.length).toBeLessThanOrEqual(600)
  })
})
