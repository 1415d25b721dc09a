import { expect, it } from 'vitest'
import { wrapLines } from './wrap-lines.ts'

it('remarks break between words, and keep their indent', () => {
  expect(wrapLines('Session 1 waits for an answer\n  that nobody can give', 16)).toBe(
    'Session 1 waits\nfor an answer\n  that nobody\n  can give',
  )
})

it('lines to copy are never broken, nor is anything without a terminal', () => {
  const line = '  Look again: ./signalbox attach 1f0c3a7e'
  expect(wrapLines(line, 20)).toBe(line)
  expect(wrapLines('one two three', Number.POSITIVE_INFINITY)).toBe('one two three')
})
