import { describe, expect, it } from 'vitest'
import { marksOf, regexMarksOf } from './marks.ts'

const shown = (pieces: { text: string; isHit: boolean }[]) =>
  pieces.map(({ text, isHit }) => (isHit ? `[${text}]` : text)).join('')

describe('what was looked for', () => {
  it('is marked wherever it stands, in any case', () => {
    expect(shown(marksOf('Error: no error here', ['error']))).toBe('[Error]: no [error] here')
    expect(shown(marksOf('a.b axb', ['a.b']))).toBe('[a.b] axb')
    expect(shown(marksOf('one two', ['two', 'one']))).toBe('[one] [two]')
  })

  it('is marked by an expression, too', () => {
    expect(shown(regexMarksOf('exit 127', String.raw`\d+`))).toBe('exit [127]')
    expect(shown(regexMarksOf('Fail', '(?i)fail'))).toBe('[Fail]')
    expect(shown(regexMarksOf('aaa', 'x*'))).toBe('aaa')
  })

  it('is not marked where the browser can not read the expression, or the line is too long', () => {
    expect(shown(regexMarksOf('text', '('))).toBe('text')
    expect(shown(regexMarksOf(`${'a'.repeat(900)}b`, '(a+)+$'))).toBe(`${'a'.repeat(900)}b`)
    expect(marksOf('a'.repeat(5000), ['a'])).toHaveLength(1)
  })
})
