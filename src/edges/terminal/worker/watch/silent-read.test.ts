import { expect, it } from 'vitest'
import type { ScreenLook } from './look.ts'
import { hasReadSilently } from './silent-read.ts'

const start = { at: 1000, keys: 3, printed: 40, mark: 'waits' }
const now = { keys: 11, printed: 40 }
const fg = { pid: 7, program: 'asks', reading: 'poll' as const, mark: 'waits again' }
const look = { ...now, local: true, mode: { echo: false, canonical: false }, fg } as ScreenLook

it('a program has read in silence if it waits for the next key and has printed nothing', () => {
  expect(hasReadSilently(start, look, now, 1500)).toBe(true)
})

it.each<[string, Partial<ScreenLook>, Partial<typeof now>, number]>([
  ['it had little time', {}, {}, 1499],
  ['it has not run since the first key', { fg: { ...fg, mark: 'waits' } }, {}, 1500],
  ['it is at work', { fg: { ...fg, reading: 'no' } }, {}, 1500],
  ['it passes keys on', { fg: { ...fg, relays: true } }, {}, 1500],
  ['it runs elsewhere', { local: false }, {}, 1500],
  ['nobody knows what it does', { fg: null }, {}, 1500],
  ['the terminal collects the line', { mode: { echo: false, canonical: true } }, {}, 1500],
  ['it has printed', { printed: 41 }, { printed: 41 }, 1500],
  ['it has printed since the last look', {}, { printed: 41 }, 1500],
  ['keys came since the last look', {}, { keys: 12 }, 1500],
])('that is not known if %s', (_, seen, activity, at) => {
  expect(hasReadSilently(start, { ...look, ...seen }, { ...now, ...activity }, at)).toBe(false)
})

it('without an earlier look it is not known', () => {
  expect(hasReadSilently({ ...start, mark: null }, look, now, 2000)).toBe(false)
})
