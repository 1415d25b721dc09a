import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { commandLine, lineOf, scriptOf, withVariables } from './command-line.ts'

it('a line is read by a shell as the words it was made of', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab =$`"\'\\\n;*~#&|!-'.split('')) })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const script = `printf '%s\\0' ${lineOf(['x', ...words]).slice(2)}`
      expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words)
    }),
    { numRuns: 40 },
  )
})

it('a program with a = in its name is not shown as a variable', () => {
  expect(commandLine('A=b', ['c'])).toBe("'A=b' c")
  expect(withVariables({ A: 'b', C: 'd e' }, 'make all')).toBe("A=b C='d e' make all")
})

it('only a shell that is known and does nothing else runs a script', () => {
  expect(scriptOf(['/bin/bash', '-lc', ' make '])).toBe('make')
  for (const words of [
    ['/w/sh', '-c', 'make'],
    ['zsh', '-c', 'make'],
    ['sh', 'make'],
    ['sh', '-ec', 'make'],
    ['sh', '-c', 'make', 'x'],
    ['sh', '-c'],
    [],
  ])
    expect(scriptOf(words)).toBeNull()
})
