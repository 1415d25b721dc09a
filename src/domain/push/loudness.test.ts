import { describe, expect, it } from 'vitest'
import { announcesByPush, loudnessOf } from './loudness.ts'
import { usualSettings, type NotificationSettings } from './schema.ts'

const noon = Date.parse('2030-06-01T12:00:00Z')
const night = Date.parse('2030-06-01T23:00:00Z')
const quiet: NotificationSettings = { ...usualSettings, quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' } }
const plain = { type: 'needs_you', grave: false } as const
const grave = { type: 'needs_you', grave: true } as const

describe('R14: the mode of a session', () => {
  it.each([
    ['remote', true],
    ['hybrid', true],
    ['local', false],
  ] as const)('%s: announced by push is %s', (mode, announced) => {
    expect(announcesByPush(mode)).toBe(announced)
  })
})

describe('B5: how loud it is', () => {
  it('"needs you" is loud by day', () => {
    expect(loudnessOf(plain, quiet, noon)).toBe('loud')
    expect(loudnessOf(plain, usualSettings, night)).toBe('loud')
  })

  it('"needs you" makes no sound in quiet hours, unless it is critical or dangerous', () => {
    expect(loudnessOf(plain, quiet, night)).toBe('silent')
    expect(loudnessOf(grave, quiet, night)).toBe('loud')
  })

  it('"done" never makes a sound, and is not sent at all in quiet hours', () => {
    expect(loudnessOf({ type: 'done', grave: false }, quiet, noon)).toBe('silent')
    expect(loudnessOf({ type: 'done', grave: false }, quiet, night)).toBe('none')
  })

  it('notifications that are turned off are not sent', () => {
    expect(loudnessOf(grave, { ...usualSettings, needsYou: false }, noon)).toBe('none')
    expect(loudnessOf({ type: 'done', grave: false }, { ...usualSettings, done: false }, noon)).toBe('none')
  })

  it('"gone" is always silent, and is sent even if the rest was turned off meanwhile', () => {
    expect(loudnessOf({ type: 'gone', grave: false }, { ...quiet, needsYou: false }, night)).toBe('silent')
  })
})
