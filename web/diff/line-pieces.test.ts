import { describe, expect, it } from 'vitest'
import { countHidden, findHidden, shownName } from './hidden-characters.ts'
import { piecesOf } from './line-pieces.ts'
import { wordChanges } from './changed-words.ts'

const cut = (text: string, ranges: readonly (readonly [number, number])[] = []): string[] =>
  ranges.map(([from, to]) => text.slice(from, to))

describe('words that changed in a line', () => {
  it.each([
    ['const limit = 10', 'const limit = 20', ['10'], ['20']],
    ['f(a)', 'f(a, b)', [], [', b']],
    ['  x', '    x', ['  '], ['    ']],
    ['größe = 1', 'größer = 1', ['größe'], ['größer']],
  ])('%s → %s', (before, after, gone, come) => {
    const changes = wordChanges(before, after)
    expect([cut(before, changes?.old), cut(after, changes?.new)]).toEqual([gone, come])
  })
  it('are not marked if the lines have almost nothing in common, or are very long', () => {
    expect(wordChanges('return alpha', 'const { beta } = gamma()')).toBeNull()
    expect(wordChanges('a'.repeat(2000), 'b')).toBeNull()
  })
})

describe('invisible characters', () => {
  it.each([
    ['what reverses text', 'a\u202eb', ['202E']],
    ['what has no width', 'pay\u200bpal\ufeff', ['200B', 'FEFF']],
    ['escapes and other controls', '\u001b[31m\u0000\u009b', ['001B', '0000', '009B']],
    ['other kinds of spaces', 'a\u00a0b', ['00A0']],
    ['letters that are tags', 'x\u{e0041}', ['E0041']],
    ['half characters', 'x\ud800', ['D800']],
    ['joiners next to letters', 'a\u200db', ['200D']],
    ['nothing in plain text, emoji and other scripts', 'tab\there 👩‍💻 ❤️ שלום 你好', []],
  ])('%s', (_what, text, codes) => {
    expect(findHidden(text).map(({ hidden }) => hidden.code)).toEqual(codes)
    expect(countHidden(text)).toBe(codes.length)
  })
  it('are written out in names, which are clipped', () => {
    expect(shownName('safe\u202egpj.exe')).toBe('safe⟨U+202E⟩gpj.exe')
    expect(shownName('x'.repeat(1_000_000)).length).toBeLessThan(600)
  })
})

describe('the pieces of a line', () => {
  it('lose no character and have colour, change and hidden characters', () => {
    const text = 'const a\u200b = "x"'
    const pieces = piecesOf(
      text,
      [
        [5, 'keyword'],
        [6, ''],
        [3, 'string'],
      ],
      [[6, 8]],
    )
    expect(pieces.map((piece) => piece.text).join('')).toBe(text)
    expect(pieces).toEqual([
      { text: 'const', token: 'keyword', changed: false, hidden: null },
      { text: ' ', token: '', changed: false, hidden: null },
      { text: 'a', token: '', changed: true, hidden: null },
      { text: '\u200b', token: '', changed: true, hidden: { code: '200B', name: 'zero width space' } },
      { text: ' = ', token: '', changed: false, hidden: null },
      { text: '"x"', token: 'string', changed: false, hidden: null },
    ])
  })
  it('are one if there is nothing to mark', () => {
    expect(piecesOf('plain', null, null)).toHaveLength(1)
    expect(piecesOf('', null, null)).toEqual([])
  })
})
