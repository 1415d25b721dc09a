import { describe, expect, it } from 'vitest'
import { reviewWords } from './review-words.ts'

const at = (file: string, line: number, more: object = {}) => ({
  file,
  side: 'new' as const,
  line,
  quoted: 'const x = 1',
  text: 'Why?',
  ...more,
})

describe('the words of a review', () => {
  it('name file and line, quote the line, and follow the summary', () => {
    const comments = [
      at('b.ts', 2),
      at('a.ts', 30),
      at('a.ts', 4, { side: 'old', quoted: 'old\r', text: 'Keep it.\nPlease.' }),
    ]
    expect(reviewWords('Not yet.', comments)).toBe(
      [
        'Not yet.',
        'a.ts:4 (removed)\n> old \nKeep it.\nPlease.',
        'a.ts:30\n> const x = 1\nWhy?',
        'b.ts:2\n> const x = 1\nWhy?',
      ].join('\n\n'),
    )
  })
  it('are the summary alone without comments, and nothing without either', () => {
    expect([reviewWords('No.', []), reviewWords('', [])]).toEqual(['No.', ''])
  })
  it('keep a quoted line short and on one line', () => {
    const words = reviewWords('', [at('a\nb.ts', 1, { quoted: 'x'.repeat(2000) })])
    expect(words.split('\n')).toEqual(['a b.ts:1', `> ${'x'.repeat(500)}`, 'Why?'])
  })
})
