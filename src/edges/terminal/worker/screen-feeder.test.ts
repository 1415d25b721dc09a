import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { createEmulator } from '../emulator.ts'
import { createScreenFeeder } from './screen-feeder.ts'

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
