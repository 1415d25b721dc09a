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
]

/** One line over the whole of a large screen, and the same as lines of their own. */
function screens(piece: string) {
  const [cols, rows] = [300, 100]
  const row = piece.repeat(Math.ceil(cols / piece.length)).slice(0, cols - 1)
  const wrapped = Array.from({ length: rows - 1 }, () => `${row}↩`).join('\n')
  return [
    drawn(`${wrapped}\n${row.slice(0, -2)}▮`, { cols, rows }),
    drawn(`${wrapped.replaceAll('↩', '')}\n${row}▮`, { cols, rows }),
  ]
}

describe('screens made to cost time', () => {
  it.each(pieces)('%j, over and over, is done at once', (piece) => {
    for (const screen of screens(piece)) {
      const spent = [1, 2, 3].map(() => {
        const started = performance.now()
        detect(screen, { ...recorded, kernel: { reading: 'read', program: 'p' } })
        return performance.now() - started
      })
      // The first run compiles expressions; on a busy machine single runs are held up.
      expect(Math.min(...spent)).toBeLessThan(250)
    }
  })

  it('a prompt without end is cut, not dropped', () => {
    const { prompt } = detect(screens('x')[0] ?? drawn('▮'), { ...recorded, kernel: { reading: 'read', program: 'p' } })
    expect(prompt?.text.length).toBeLessThanOrEqual(2000)
  })
})
