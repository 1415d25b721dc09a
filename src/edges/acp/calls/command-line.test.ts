import { expect, it } from 'vitest'
import { commandLine, scriptOf } from './command-line.ts'

it('a program with a = in its name is not shown as a variable', () => {
  expect(commandLine('A=b', ['c'])).toBe("'A=b' c")
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
