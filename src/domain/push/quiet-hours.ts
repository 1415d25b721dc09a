import * as z from 'zod'

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00')

export const TimeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, 'must be a time zone such as Europe/Berlin or UTC')
  .meta({ description: 'An IANA time zone name.' })

/** When notifications make no sound; spans midnight if it ends before it begins. */
export const QuietHours = z
  .strictObject({ from: clockTime, to: clockTime, timeZone: TimeZone })
  .refine(({ from, to }) => from !== to, { message: 'must differ from the start', path: ['to'] })
export type QuietHours = z.infer<typeof QuietHours>

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))

/** The local time there, in minutes after midnight. */
export function minuteOfDay(now: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return minutesOf(format.format(now))
}

/** By local time, so that a change of clocks at night does not matter. */
export function isQuiet(hours: QuietHours | null, now: number): boolean {
  if (hours === null) return false
  const minute = minuteOfDay(now, hours.timeZone)
  const from = minutesOf(hours.from)
  const to = minutesOf(hours.to)
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}
