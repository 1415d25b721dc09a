import { describe, expect, it } from 'vitest'
import { createEmulator } from '../emulator.ts'
import { dropScrolledText } from './drop-scrolled-text.ts'

const size = { cols: 20, rows: 5, scrollback: 10 }
const kept = 10 + 2 * 5
const esc = '\u001b'

/** A terminal in use: half a line, colours on, the cursor somewhere. */
const before = `one\r\n${esc}[31mtwo\r\nthree${esc}[2;3H${esc}[44mhalf`

async function shown(...texts: string[]) {
  const emulator = createEmulator(size)
  for (const text of texts) await emulator.write(text)
  const seen = { screen: emulator.screen(), text: emulator.text(), ansi: emulator.ansi() }
  emulator.dispose()
  return seen
}

/** The same sequence of numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) % below
  }
}

function flood(seed: number): string {
  const next = numbers(seed)
  const pieces = [
    'word ',
    'é',
    '密码',
    '🚀',
    '\t',
    `${esc}[1m`,
    `${esc}[0m`,
    `${esc}[m`,
    `${esc}[38;5;9m`,
    `${esc}[K`,
    '\r',
  ]
  const line = () => Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('')
  return `${Array.from({ length: 40 + next(60) }, line).join('\r\n')}${next(2) === 0 ? '\r\n' : ' prompt> '}`
}

describe('what is kept of a flood', () => {
  it('leaves the same screen, scrollback and colours, whatever was there before', async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const text = flood(seed)
      const less = dropScrolledText(text, kept)
      expect(less.length).toBeLessThan(text.length)
      expect(await shown(before, less), `seed ${seed}`).toEqual(await shown(before, text))
      const next = `more${esc}[7m!`
      expect((await shown(before, less, next)).ansi).toBe((await shown(before, text, next)).ansi)
    }
  })

  it('is all of it if there are not enough lines', () => {
    const text = 'line\r\n'.repeat(kept)
    expect(dropScrolledText(text, kept)).toBe(text)
    expect(dropScrolledText('', kept)).toBe('')
  })

  it.each([
    ['a cursor that moves', `${esc}[5;5H`],
    ['the alternate screen', `${esc}[?1049h`],
    ['a scroll region', `${esc}[2;4r`],
    ['a title', `${esc}]0;title\u0007`],
    ['a bell', '\u0007'],
    ['another character set', '\u000e'],
    ['a sequence of one byte', '\u009b1m'],
  ])('is all of it if %s would be lost', (_what, sequence) => {
    const text = `first${sequence}\r\n${'line\r\n'.repeat(3 * kept)}`
    expect(dropScrolledText(text, kept)).toBe(text)
  })

  it('is all of it if lines do not begin in the first column', () => {
    const text = 'line\n'.repeat(3 * kept)
    expect(dropScrolledText(text, kept)).toBe(text)
  })
})
