import fc from 'fast-check'
import { expect, it } from 'vitest'
import { searchWords } from './search-words.ts'

it.each([
  ['See src/app/read.ts!', ['see', 'src', 'app', 'read', 'ts']],
  ['Zoë ÇA 🚂 "x" a\0b', ['zoe', 'ca', 'x', 'a', 'b']],
  ['हिन्दी 中文 한국어', ['हिन्दी', '中文', '한국어']],
  ['" * - 🚂', []],
])('the words in %j', (text, words) => {
  expect(searchWords(text)).toEqual(words)
})

it('words contain nothing a database could read as its query language, and are stable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const words = searchWords(text)
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
      expect(searchWords(words.join(' '))).toEqual(words)
    }),
  )
})

it('of an endless text only the beginning is read', () => {
  expect(searchWords('ab '.repeat(1_000_000)).length).toBeLessThan(70_000)
})
