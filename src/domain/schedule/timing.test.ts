import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import type { Timing } from './schema.ts'
import { duesBetween, isTimeZone, nextAfter, nextInstants, readTiming } from './timing.ts'

const cron = (line: string, timeZone: string): Timing => ({ kind: 'cron', cron: line, timeZone })
const list = (timing: Timing, from: string, most: number) =>
  nextInstants(timing, Date.parse(from), most).map((at) => new Date(at).toISOString().replace(':00.000Z', 'Z'))
const now = Date.parse('2027-01-01T00:00:00Z')
const faultOf = (wanted: Parameters<typeof readTiming>[0]) => {
  const read = readTiming(wanted, now)
  return read.ok ? null : `${read.fault.code}: ${read.fault.message}`
}

describe('the next instant', () => {
  it('in the spring gap is the first one after it', () => {
    expect(list(cron('30 2 * * *', 'Europe/Berlin'), '2027-03-26T12:00Z', 4)).toEqual([
      '2027-03-27T01:30Z',
      '2027-03-28T01:00Z',
      '2027-03-29T00:30Z',
      '2027-03-30T00:30Z',
    ])
    expect(list(cron('30 2 * * *', 'America/New_York'), '2027-03-12T12:00Z', 3)).toEqual([
      '2027-03-13T07:30Z',
      '2027-03-14T07:00Z',
      '2027-03-15T06:30Z',
    ])
    expect(list(cron('15 2 * * *', 'Australia/Lord_Howe'), '2027-10-01T00:00Z', 3)).toEqual([
      '2027-10-01T15:45Z',
      '2027-10-02T15:30Z',
      '2027-10-03T15:15Z',
    ])
    expect(list(cron('30 0 * * *', 'Africa/Cairo'), '2027-04-28T12:00Z', 3)).toEqual([
      '2027-04-28T22:30Z',
      '2027-04-29T22:00Z',
      '2027-04-30T21:30Z',
    ])
  })

  it('in the double hour of autumn comes once for a fixed time, and twice for every hour', () => {
    expect(list(cron('30 2 * * *', 'Europe/Berlin'), '2027-10-29T12:00Z', 3)).toEqual([
      '2027-10-30T00:30Z',
      '2027-10-31T00:30Z',
      '2027-11-01T01:30Z',
    ])
    expect(list(cron('30 1 * * *', 'America/New_York'), '2027-11-05T12:00Z', 3)).toEqual([
      '2027-11-06T05:30Z',
      '2027-11-07T05:30Z',
      '2027-11-08T06:30Z',
    ])
    expect(list(cron('0 * * * *', 'Europe/Berlin'), '2027-10-30T23:30Z', 4)).toEqual([
      '2027-10-31T00:00Z',
      '2027-10-31T01:00Z',
      '2027-10-31T02:00Z',
      '2027-10-31T03:00Z',
    ])
  })

  it('knows 29 February and the last day of a month', () => {
    expect(list(cron('0 9 29 2 *', 'Europe/Berlin'), '2027-01-01T00:00Z', 2)).toEqual([
      '2028-02-29T08:00Z',
      '2032-02-29T08:00Z',
    ])
    expect(list(cron('0 9 L * *', 'America/New_York'), '2028-01-30T00:00Z', 3)).toEqual([
      '2028-01-31T14:00Z',
      '2028-02-29T14:00Z',
      '2028-03-31T13:00Z',
    ])
  })

  it('is on either day if both a day and a weekday are given, as in cron', () => {
    expect(list(cron('0 9 13 * 5', 'UTC'), '2027-01-08T12:00Z', 3)).toEqual([
      '2027-01-13T09:00Z',
      '2027-01-15T09:00Z',
      '2027-01-22T09:00Z',
    ])
  })

  it('of an interval stays on its grid', () => {
    const timing: Timing = { kind: 'every', seconds: 5400, from: '2027-01-01T00:10:00.000Z' }
    expect(list(timing, '2027-01-01T00:00Z', 2)).toEqual(['2027-01-01T01:40Z', '2027-01-01T03:10Z'])
    expect(list(timing, '2027-01-02T00:00Z', 1)).toEqual(['2027-01-02T00:10Z'])
    expect(nextAfter(timing, Date.parse('2027-01-01T01:40:00Z'))).toBe(Date.parse('2027-01-01T03:10:00Z'))
  })

  it('of a single time comes once', () => {
    const timing: Timing = { kind: 'at', at: '2027-05-01T10:00:00.000Z' }
    expect(list(timing, '2027-01-01T00:00Z', 3)).toEqual(['2027-05-01T10:00Z'])
    expect(nextAfter(timing, Date.parse('2027-05-01T10:00:00Z'))).toBeNull()
  })
})

describe('two years in five zones', () => {
  // Each local day has one 02:30 or its first instant after the gap, whatever the clocks do.
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Cairo']
  it.each(zones)('%s: every local day once', (zone) => {
    const timing = cron('30 2 * * *', zone)
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
    const found: string[] = []
    for (
      let at = nextAfter(timing, now);
      at !== null && at < Date.parse('2029-01-01T00:00:00Z');
      at = nextAfter(timing, at)
    )
      found.push(day.format(at))
    expect(found.length).toBeGreaterThanOrEqual(730)
    expect(new Set(found).size).toBe(found.length)
    const gaps = found.slice(1).map((one, index) => Date.parse(one) - Date.parse(found[index] ?? ''))
    expect(new Set(gaps)).toEqual(new Set([86_400_000]))
  })
})

describe('due times that have passed', () => {
  it('are counted up to the present, with both ends', () => {
    const hourly = cron('0 * * * *', 'UTC')
    const first = Date.parse('2027-01-01T01:00:00Z')
    expect(duesBetween(hourly, first, Date.parse('2027-01-01T03:00:00.500Z'), 100)).toEqual({
      instants: [first, first + 3600_000, first + 7200_000],
      count: 3,
    })
    expect(duesBetween(hourly, first, Date.parse('2027-01-01T00:59:59Z'), 100).count).toBe(0)
    const every: Timing = { kind: 'every', seconds: 60, from: '2027-01-01T00:00:00.000Z' }
    const year = duesBetween(every, first, first + 365 * 86_400_000, 3)
    expect(year.count).toBe(525_601)
    expect(year.instants.at(-1)).toBe(first + 365 * 86_400_000)
    expect(year.instants).toHaveLength(3)
  })

  it('of a line that ran every minute for a year are found at once', () => {
    const began = cpuMs()
    const minutely = cron('* * * * *', 'Europe/Berlin')
    expect(duesBetween(minutely, now, now + 365 * 86_400_000, 100).instants).toHaveLength(100)
    expect(cpuMs() - began).toBeLessThan(1000)
  })
})

describe('what is refused', () => {
  it.each([
    ['0 0 30 2 *', 'invalid_schedule: This cron line never runs: 0 0 30 2 *.'],
    ['0 0 * * * *', 'invalid_schedule: A cron line has 5 fields; this one has 6.'],
    ['0 0 * * * * *', 'invalid_schedule: A cron line has 5 fields; this one has 7.'],
    ['@daily', 'invalid_schedule: A cron line has 5 fields; this one has 1.'],
    ['0 9 15W * *', 'invalid_schedule: Invalid cron field: 15W.'],
    ['0 9 ? * 1', 'invalid_schedule: Invalid cron field: ?.'],
    ['0 9 * * 5#2', 'invalid_schedule: Invalid cron field: 5#2.'],
  ])('%s', (line, fault) => {
    expect(faultOf({ cron: line })).toBe(fault)
  })

  it.each(['60 * * * *', '0 24 * * *', '*/0 * * * *', '5-1 * * * *', '0 0 0 * *', '0 0 * 13 *', '0 0 * FOO *'])(
    '%s is out of range',
    (line) => {
      expect(faultOf({ cron: line })).toMatch(/^invalid_schedule: Invalid cron/)
    },
  )

  it('unknown zones, odd intervals, times in the past and two at once', () => {
    expect(faultOf({ cron: '0 9 * * *', timeZone: 'Mars/Base' })).toBe(
      'invalid_schedule: Unknown time zone: Mars/Base.',
    )
    expect(faultOf({ cron: '0 9 * * *', timeZone: '+02:00' })).toBe('invalid_schedule: Unknown time zone: +02:00.')
    expect(faultOf({ every: '30s' })).toBe('invalid_schedule: An interval is from 1 minute to 366 days, not 30s.')
    expect(faultOf({ every: 'soon' })).toBe('invalid_schedule: Invalid interval: soon.')
    expect(faultOf({ at: '2026-12-31T00:00Z' })).toBe('invalid_schedule: 2026-12-31T00:00Z is in the past.')
    expect(faultOf({ at: '2027-02-30T09:00' })).toBe('invalid_schedule: Invalid time: 2027-02-30T09:00.')
    expect(faultOf({ at: 'tomorrow' })).toBe('invalid_schedule: Invalid time: tomorrow.')
    expect(faultOf({})).toBe('invalid_schedule: A schedule has exactly one of cron, every and at.')
    expect(faultOf({ every: '1h', cron: '0 9 * * *' })).toBe(
      'invalid_schedule: A schedule has exactly one of cron, every and at.',
    )
    expect(isTimeZone('Europe/Berlin')).toBe(true)
  })
})

describe('a local time', () => {
  it.each([
    ['2027-06-01T09:00', 'Europe/Berlin', '2027-06-01T07:00:00.000Z'],
    ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
    ['2027-10-31T02:30', 'Europe/Berlin', '2027-10-31T00:30:00.000Z'],
    ['2027-06-01T09:00:30Z', 'Europe/Berlin', '2027-06-01T09:00:30.000Z'],
    ['2027-06-01T09:00+05:30', 'UTC', '2027-06-01T03:30:00.000Z'],
  ])('%s in %s', (at, timeZone, expected) => {
    expect(readTiming({ at, timeZone }, now)).toEqual({ ok: true, value: { kind: 'at', at: expected } })
  })
})
