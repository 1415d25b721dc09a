import { expect, it } from 'vitest'
import { exitCodeOf } from './attach-to-child.ts'

it('is the program’s, or 128 plus the signal, as in a shell', () => {
  expect(exitCodeOf({ code: 3, signal: null })).toBe(3)
  expect(exitCodeOf({ code: null, signal: 'SIGINT' })).toBe(130)
  expect(exitCodeOf({ code: null, signal: 'SIGKILL' })).toBe(137)
  expect(exitCodeOf({ code: null, signal: null })).toBe(1)
})
