import { expect, it } from 'vitest'
import { wrapLines } from './wrap-lines.ts'

it('notes break between words, and keep their indent', () => {
  expect(wrapLines('Session 1 waits for an answer\n  that nobody can give', 16)).toBe(
    'Session 1 waits\nfor an answer\n  that nobody\n  can give',
  )
})

it('commands to copy are never broken, nor is anything without a terminal', () => {
  expect(wrapLines('  Reattach: ./signalbox attach 1f0c3a7e', 20)).toBe('  Reattach:\n  ./signalbox attach 1f0c3a7e')
  expect(wrapLines('Start one: signalbox run -- COMMAND, signalbox ssh HOST or signalbox watch FILE.', 40)).toBe(
    'Start one: signalbox run -- COMMAND,\nsignalbox ssh HOST or\nsignalbox watch FILE.',
  )
  expect(wrapLines('signalbox answer 0199 select once  # Allow it once and for all', 40)).toBe(
    'signalbox answer 0199 select once\n# Allow it once and for all',
  )
  expect(wrapLines('one two three', Number.POSITIVE_INFINITY)).toBe('one two three')
})
