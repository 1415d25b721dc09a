import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { shellLine, visibleLine, visibleText } from './shell-words.ts'

it('a line is read by a shell as the words it was made of, and shows hidden characters', () => {
  const word = fc.string({
    unit: fc.constantFrom(...'ab =$`"\'\\\n\r\t;*~#&|!-\u202e\u00a0\x1b\u{e0041}é⟨'.split(''), '\u{e0041}'),
  })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const wanted = words.map((one) => one.replaceAll(/[\ud800-\udfff]/g, ''))
      const line = shellLine(['x', ...wanted])
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u00a0]/u)
      const script = `printf '%s\\0' ${line.slice(2)}`
      const env = { ...process.env, LC_ALL: 'C.UTF-8' }
      expect(execFileSync('bash', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(0, -1)).toEqual(wanted)
    }),
    { numRuns: 60, seed: 14 },
  )
})

it('a program that looks like an option or a variable is quoted', () => {
  expect(shellLine(['-rf', '-x', 'a=b'])).toBe("'-rf' -x a=b")
  expect(shellLine(['A=b', '=c', ''])).toBe("'A=b' '=c' ''")
})

it('shows invisible characters, and spaces at the end', () => {
  expect(visibleText('ls\u202e \nrm\r')).toBe('ls⟨U+202E⟩⟨U+0020⟩\nrm⟨U+000D⟩')
  expect(visibleText('a⟨U+000D⟩')).toBe('a⟨U+27E8⟩U+000D⟩')
  expect(visibleText('a   ')).toBe('a⟨U+0020⟩⟨U+0020⟩⟨U+0020⟩')
})

it('says how much of a long line is not shown', () => {
  expect(visibleLine('a\nb', 100)).toBe('a ⏎ b')
  expect(visibleLine('x'.repeat(200), 100)).toBe(`${'x'.repeat(60)}… (140 more characters)`)
})
