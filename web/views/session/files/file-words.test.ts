import { expect, it } from 'vitest'
import { fileWordIn, linksIn } from './file-words.ts'

it('the word after an @ at the end is the beginning of a file', () => {
  expect(['@', 'see @src/a', '@a b', 'me@example.org', 'a @b @c'].map(fileWordIn)).toEqual([
    '',
    'src/a',
    null,
    null,
    'c',
  ])
})

it('only files that the text still names are sent', () => {
  expect(linksIn('see @src/a.ts now', new Set(['src/a.ts', 'src/b.ts']))).toEqual(['src/a.ts'])
})
