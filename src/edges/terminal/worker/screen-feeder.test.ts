import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { createEmulator } from '../emulator.ts'
import { createScreenFeeder, dropScrolledText } from './screen-feeder.ts'

function stage() {
  const emulator = createEmulator({ cols: 80, rows: 24 })
  const told: { bytes: number; offset: number }[] = []
  let written = 0
  let to = 0
  const feeder = createScreenFeeder({
    emulator: {
      write(text) {
        written += text.length
        return emulator.write(text)
      },
      get scrollsWhole() {
        return emulator.scrollsWhole
      },
      linesKept: emulator.linesKept,
    },
    clock: systemClock,
    shown: (bytes, offset) => told.push({ bytes, offset }),
  })
  return {
    told,
    emulator,
    written: () => written,
    settled: feeder.settled,
    push(text: string) {
      to += text.length
      return feeder.push(text, text.length, to)
    },
  }
}

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, line) => `line ${from + line}\r\n`).join('')

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

describe('feeding a screen', () => {
  it('a small output is on the screen when the push returns, and reported then', async () => {
    const { push, told, emulator } = stage()
    await push('Name? ')
    expect(emulator.screen().lines[0]?.text).toBe('Name? ')
    expect(told).toEqual([{ bytes: 6, offset: 6 }])
  })

  it('of a flood only what stays is emulated, all of it is reported, and the end is what was printed', async () => {
    const { push, settled, told, emulator, written } = stage()
    const pieces = Array.from({ length: 100 }, (_, piece) => lines(piece * 4000, 4000))
    for (const piece of pieces) await push(piece)
    await push('Name? ')
    await settled()
    const total = pieces.join('').length + 6
    expect(told.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(total)
    expect(told.at(-1)?.offset).toBe(total)
    expect(written()).toBeLessThan(total / 2)
    expect(emulator.text().split('\n').slice(-2)).toEqual(['line 399999', 'Name?'])
    expect(emulator.text().split('\n')).toHaveLength(1000 + 24)
  })

  it('emulates everything once a scroll region was set', async () => {
    const { push, settled, written } = stage()
    await push('\u001b[1;20r')
    const flood = lines(0, 20_000)
    await push(flood)
    await settled()
    expect(written()).toBe(flood.length + 7)
  })
})
