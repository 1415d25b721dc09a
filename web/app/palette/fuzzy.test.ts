import { expect, it } from 'vitest'
import { bestOf, fit } from './fuzzy.ts'

it('fits parts and letters at the starts of words, and nothing else', () => {
  expect(fit('sess', 'New session')).not.toBeNull()
  expect(fit('nsess', 'New session')).not.toBeNull()
  expect(fit('ns', 'New session')).not.toBeNull()
  expect(fit('session new', 'New session')).not.toBeNull()
  expect(fit('nxs', 'New session')).toBeNull()
  expect(fit('wf', 'New files')).toBeNull()
})

it('prefers whole parts to scattered letters, and starts of words to the middle', () => {
  const texts = ['Compass', 'Audit log', 'Pass on']
  expect(bestOf('pass', texts, (text) => text, 5).map(({ item }) => item)).toEqual(['Pass on', 'Compass'])
  expect(bestOf('', texts, (text) => text, 2).map(({ item }) => item)).toEqual(['Compass', 'Audit log'])
})

it('takes no time with a hostile title', () => {
  const started = process.cpuUsage()
  fit('a'.repeat(11) + 'b', 'a '.repeat(200))
  const { user } = process.cpuUsage(started)
  expect(user).toBeLessThan(2_000_000)
})
