import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBoundedStrings } from './bounded-strings.ts'

const long = 'a'.repeat(100_000)

it('a string that never ends is cut, and what follows its end is kept', () => {
  for (const [begin, end] of [
    ['\u001b]0;', '\u0007'],
    ['\u001b]0;', '\u001b\\'],
    ['\u001bP', '\u001b\\'],
    ['\u001b_', '\u0018'],
    ['\u009d', '\u009c'],
  ]) {
    const bound = createBoundedStrings()
    const shown = bound(`before${begin}${long}`) + bound(long) + bound(`${long}${end}after`)
    expect(shown.length).toBeLessThan(9000)
    expect(shown.startsWith(`before${begin}a`)).toBe(true)
    expect(shown.endsWith(`a${end}after`)).toBe(true)
  }
})

it('changes nothing else, wherever the text is cut', () => {
  const part = fc.constantFrom('\u001b', '\u001b]', '\u001b\\', '\u0007', '\u001b[1m', ']', 'P', 'text', '\n', '\u009d')
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 8 }), (pieces) => {
      const bound = createBoundedStrings()
      const given = pieces.map((parts) => parts.join(''))
      expect(given.map(bound).join('')).toBe(given.join(''))
    }),
  )
})
