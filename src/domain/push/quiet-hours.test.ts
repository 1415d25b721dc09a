import { describe, expect, it } from 'vitest'
import { isQuiet, QuietHours } from './quiet-hours.ts'

const hours = (from: string, to: string, timeZone = 'UTC'): QuietHours => ({ from, to, timeZone })
const at = (text: string): number => Date.parse(text)

describe('quiet hours', () => {
  it.each([
    ['2030-01-01T21:59:59Z', false],
    ['2030-01-01T22:00:00Z', true],
    ['2030-01-02T00:00:00Z', true],
    ['2030-01-02T06:59:59Z', true],
    ['2030-01-02T07:00:00Z', false],
  ])('over midnight, at %s: %s', (time, quiet) => {
    expect(isQuiet(hours('22:00', '07:00'), at(time))).toBe(quiet)
  })

  it.each([
    ['2030-01-01T11:59:59Z', false],
    ['2030-01-01T12:00:00Z', true],
    ['2030-01-01T13:00:00Z', false],
  ])('within a day, at %s: %s', (time, quiet) => {
    expect(isQuiet(hours('12:00', '13:00'), at(time))).toBe(quiet)
  })

  it('without any, no time is quiet', () => {
    expect(isQuiet(null, at('2030-01-01T03:00:00Z'))).toBe(false)
  })

  it('use the person’s time zone, wherever the server is', () => {
    const night = at('2030-01-01T20:00:00Z')
    expect(isQuiet(hours('22:00', '07:00', 'Asia/Tokyo'), night)).toBe(true)
    expect(isQuiet(hours('22:00', '07:00', 'America/New_York'), night)).toBe(false)
    // Half and quarter hours: 20:00 UTC is 01:45 in Kathmandu and 01:30 in Kolkata.
    expect(isQuiet(hours('01:40', '01:50', 'Asia/Kathmandu'), night)).toBe(true)
    expect(isQuiet(hours('01:40', '01:50', 'Asia/Kolkata'), night)).toBe(false)
  })

  it('follow local time when the clocks change', () => {
    const berlin = hours('22:00', '07:00', 'Europe/Berlin')
    // Summer time begins on 31 March 2030: 05:00 UTC is 06:00 the day before and 07:00 that day.
    expect(isQuiet(berlin, at('2030-03-30T05:30:00Z'))).toBe(true)
    expect(isQuiet(berlin, at('2030-03-31T05:30:00Z'))).toBe(false)
    expect(isQuiet(berlin, at('2030-03-31T04:59:00Z'))).toBe(true)
    // It ends on 27 October: 06:30 on the wall is 05:30 UTC again.
    expect(isQuiet(berlin, at('2030-10-27T05:30:00Z'))).toBe(true)
    expect(isQuiet(berlin, at('2030-10-27T06:00:00Z'))).toBe(false)
  })

  it('work at midnight, written as 00:00', () => {
    expect(isQuiet(hours('00:00', '06:00'), at('2030-01-01T00:00:00Z'))).toBe(true)
    expect(isQuiet(hours('18:00', '00:00'), at('2030-01-01T00:00:00Z'))).toBe(false)
  })
})

describe('valid quiet hours', () => {
  it('need times of day and an existing time zone', () => {
    expect(QuietHours.safeParse(hours('22:00', '07:00', 'Europe/Berlin')).success).toBe(true)
    for (const wrong of [
      hours('24:00', '07:00'),
      hours('7:00', '08:00'),
      hours('22:00', '07:00', 'Mars/Olympus'),
      hours('22:00', '22:00'),
    ])
      expect(QuietHours.safeParse(wrong).success).toBe(false)
  })
})
