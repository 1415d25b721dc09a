import { wrongUsage } from './failure.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `12s`, `5m`, `3h`, `2d`; null beyond two months. */
function span(ms: number, round: (value: number) => number): string | null {
  if (round(ms / second) < 60) return `${round(ms / second)}s`
  if (round(ms / minute) < 60) return `${round(ms / minute)}m`
  if (round(ms / hour) < 48) return `${round(ms / hour)}h`
  return round(ms / day) < 60 ? `${round(ms / day)}d` : null
}

/** `just now`, `5m ago`, `in 3h`, `2026-01-31`. */
export function relativeTime(at: string | null, now: number): string {
  if (at === null) return ''
  const time = Date.parse(at)
  if (Number.isNaN(time)) return at
  // "in 10m" stays until the first minute is over.
  const text = time > now ? span(time - now, Math.ceil) : span(now - time, Math.floor)
  if (text === null) return at.slice(0, 10)
  if (Math.abs(now - time) < second) return 'just now'
  return time > now ? `in ${text}` : `${text} ago`
}

const units: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day, w: 7 * day, y: 365 * day }

function duration(text: string): number | null {
  const match = /^(\d{1,6})([smhdwy])$/.exec(text)
  const unit = units[match?.[2] ?? '']
  return match && unit !== undefined ? Number(match[1]) * unit : null
}

/** `90d` from now, or a date; for `--expires`. */
export const timeAhead = (flag: string, text: string, now: number): string => timeFrom(flag, text, now, 1)

/** `2h` before now, or a date; for `--since` and `--until`. */
export const timeBack = (flag: string, text: string, now: number): string => timeFrom(flag, text, now, -1)

/** A date alone is a day here, as everywhere else in the output; JavaScript would take it as UTC. */
const parseDate = (text: string): number => Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00` : text)

function timeFrom(flag: string, text: string, now: number, direction: 1 | -1): string {
  const length = duration(text)
  const time = length === null ? parseDate(text) : now + direction * length
  // A bare year and other short forms parse too, but are ambiguous.
  const isDate = length !== null || /^\d{4}-\d\d-\d\d/.test(text)
  if (isDate && Math.abs(time) <= 8.64e15) return new Date(time).toISOString()
  throw wrongUsage(
    `Invalid --${flag} "${text}".`,
    'Give a duration such as 30m, 12h or 90d, or a date such as 2026-01-31.',
  )
}
