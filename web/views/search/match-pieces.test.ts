import { describe, expect, it } from 'vitest'
import { wordMatches, regexMatches } from './match-pieces.ts'

const shown = (pieces: { text: string; isHit: boolean }[]) =>
  pieces.map(({ text, isHit }) => (isHit ? `[${text}]` : text)).join('')

describe('the search text', () => {
  it('is marked everywhere, ignoring case', () => {
    expect(shown(wordMatches('Error: no error here', ['error']))).toBe('[Error]: no [error] here')
    expect(shown(wordMatches('a.b axb', ['a.b']))).toBe('[a.b] axb')
    expect(shown(wordMatches('one two', ['two', 'one']))).toBe('[one] [two]')
  })

  it('is marked as a regular expression, too', () => {
    expect(shown(regexMatches('exit 127', String.raw`\d+`))).toBe('exit [127]')
    expect(shown(regexMatches('Fail', '(?i)fail'))).toBe('[Fail]')
    expect(shown(regexMatches('aaa', 'x*'))).toBe('aaa')
  })

  it('is not marked if the browser can’t read the expression, or the line is too long', () => {
    expect(shown(regexMatches('text', '('))).toBe('text')
    expect(shown(regexMatches(`${'a'.repeat(900)}b`, '(a+)+$'))).toBe(`${'a'.repeat(900)}b`)
    expect(wordMatches('a'.repeat(5000), ['a'])).toHaveLength(1)
  })
})
