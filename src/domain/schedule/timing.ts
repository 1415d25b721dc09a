import { lastOfCron, nextOfCron } from '../../lib/cron.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import type { Timing, WantedTiming } from './schema.ts'

/** Agents cost money: nothing runs more often. A cron line can't either. */
const shortestSeconds = 60
const longestSeconds = 366 * 24 * 3600

/** The first instant after `after`; null if there is none. */
export function nextAfter(timing: Timing, after: number): number | null {
  switch (timing.kind) {
    case 'cron':
      return nextOfCron(timing.cron, timing.timeZone, after)
    case 'every': {
      const from = Date.parse(timing.from)
      const step = timing.seconds * 1000
      return from + Math.max(1, Math.floor((after - from) / step) + 1) * step
    }
    case 'at': {
      const at = Date.parse(timing.at)
      return at > after ? at : null
    }
    default:
      return timing satisfies never
  }
}

export type Dues = {
  /** Ascending; the newest ones if there are more than fit. */
  readonly instants: readonly number[]
  readonly count: number
}

/** The instants from `first`, which is one of them, up to `until`. Of cron lines at most `most` are counted. */
export function duesBetween(timing: Timing, first: number, until: number, most: number): Dues {
  if (until < first) return { instants: [], count: 0 }
  if (timing.kind === 'at') return { instants: [first], count: 1 }
  if (timing.kind === 'every') {
    const step = timing.seconds * 1000
    const count = Math.floor((until - first) / step) + 1
    const kept = Math.min(count, most)
    return { instants: Array.from({ length: kept }, (_, at) => first + (count - kept + at) * step), count }
  }
  // The instant itself does not count as previous.
  const found = lastOfCron(timing.cron, timing.timeZone, until + 1000, most)
    .filter((at) => at >= first && at <= until)
    .toReversed()
  return { instants: found, count: found.length }
}

export const nextInstants = (timing: Timing, after: number, most: number): number[] => {
  const found: number[] = []
  for (let at = nextAfter(timing, after); at !== null && found.length < most; at = nextAfter(timing, at)) found.push(at)
  return found
}

/** Reads what a caller asked for. `now` is the start of an interval, and decides whether a time is over. */
export function readTiming(wanted: WantedTiming, now: number): Result<Timing> {
  const given = (['cron', 'every', 'at'] as const).filter((name) => wanted[name] !== undefined)
  const [kind, ...others] = given
  if (kind === undefined || others.length > 0)
    return invalid('A schedule has exactly one of cron, every and at.', 'For example: cron "0 9 * * 1-5".')
  const timeZone = wanted.timeZone ?? 'UTC'
  if (!isTimeZone(timeZone))
    return invalid(`Unknown time zone: ${timeZone}.`, 'Use a name such as Europe/Berlin or UTC.')
  if (wanted.cron !== undefined) return readCron(wanted.cron, timeZone, now)
  if (wanted.every !== undefined) return readEvery(wanted.every, now)
  return readAt(wanted.at ?? '', timeZone, now)
}

const zoneName = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/

export function isTimeZone(name: string): boolean {
  if (!zoneName.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Numbers, names, lists, ranges and steps; L as a day is the last of the month. Nothing that cron does not have. */
const field = /^(\*|[0-9]{1,2}|[A-Za-z]{3}|L)(-([0-9]{1,2}|[A-Za-z]{3}))?(\/[0-9]{1,2})?$/

function readCron(line: string, timeZone: string, now: number): Result<Timing> {
  const fields = line.trim().split(/\s+/)
  if (fields.length !== 5)
    return invalid(
      `A cron line has 5 fields; this one has ${fields.length}.`,
      'minute hour day month weekday: 0 9 * * 1-5 is 9:00 on weekdays.',
    )
  const odd = fields.find((one) => !one.split(',').every((part) => field.test(part)))
  if (odd !== undefined) return invalid(`Invalid cron field: ${odd}.`, 'Use numbers, *, lists, ranges and steps.')
  const cron = fields.join(' ')
  try {
    if (nextOfCron(cron, timeZone, now) !== null) return ok({ kind: 'cron', cron, timeZone })
  } catch (error) {
    return invalid(`Invalid cron line: ${error instanceof Error ? plain(error.message) : cron}.`)
  }
  return invalid(`This cron line never runs: ${cron}.`, 'There is no such date.')
}

const plain = (message: string): string => message.replace(/^CronPattern: /, '').replace(/\.$/, '')

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const
type Unit = keyof typeof unitSeconds

function readEvery(text: string, now: number): Result<Timing> {
  const [, amount, unit] = /^([1-9][0-9]{0,8})([smhdw])$/.exec(text.trim()) ?? []
  if (amount === undefined)
    return invalid(`Invalid interval: ${text}.`, 'Use a number and a unit: 90s, 15m, 2h, 1d, 1w.')
  const seconds = Number(amount) * unitSeconds[unit as Unit]
  if (seconds < shortestSeconds || seconds > longestSeconds)
    return invalid(`An interval is from 1 minute to 366 days, not ${text}.`)
  return ok({ kind: 'every', seconds, from: new Date(now).toISOString() })
}

const localTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(:00(\.0+)?)?$/
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

function readAt(text: string, timeZone: string, now: number): Result<Timing> {
  const at = instant.test(text) ? Date.parse(text) : localInstant(text, timeZone)
  if (at === null || Number.isNaN(at))
    return invalid(`Invalid time: ${text}.`, 'Use ISO 8601: 2030-01-31T09:00 with a time zone, or 2030-01-31T09:00Z.')
  if (at <= now) return invalid(`${text} is in the past.`, 'To run it now, use a run instead of a schedule.')
  return ok({ kind: 'at', at: new Date(at).toISOString() })
}

/** Gaps and repeated hours are treated as in cron lines. */
function localInstant(text: string, timeZone: string): number | null {
  const [whole, year, month, day, hour, minute] = localTime.exec(text) ?? []
  if (whole === undefined || Number.isNaN(Date.parse(`${whole}Z`))) return null
  const before = Date.parse(`${year}-${month}-${day}T00:00:00Z`) - 2 * 86_400_000
  if (Number(hour) > 23) return null
  const at = nextOfCron(`${Number(minute)} ${Number(hour)} ${Number(day)} ${Number(month)} *`, timeZone, before)
  return at !== null && at - before < 5 * 86_400_000 ? at : null
}

const invalid = (message: string, hint?: string): Failed =>
  fail({ kind: 'invalid', code: 'invalid_schedule', message, hint })
