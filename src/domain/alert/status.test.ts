import { expect, it } from 'vitest'
import { isPaused } from './status.ts'

const now = Date.parse('2030-01-01T00:00:00.000Z')
const [earlier, later] = ['2029-12-31T23:59:59.000Z', '2030-01-01T00:00:01.000Z']

it.each([
  ['not paused', false, null, false],
  ['paused until someone resumes it', true, null, true],
  ['paused for a time', true, later, true],
  ['paused for a time that is over', true, earlier, false],
  ['in a long operation', false, later, true],
  ['in a long operation that took longer', false, earlier, false],
])('stall detection that is %s', (_how, stallPaused, stallPausedUntil, paused) => {
  expect(isPaused({ stallPaused, stallPausedUntil }, now)).toBe(paused)
})
