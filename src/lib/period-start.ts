import { lastOfCron } from './cron.ts'

const lines = { day: '0 0 * * *', month: '0 0 1 * *' } as const

/** When the current day or month of the calendar began in a time zone. */
export function periodStart(period: keyof typeof lines, timeZone: string, now: number): string {
  // Of instants before the given one, so that midnight itself begins its day.
  const [start] = lastOfCron(lines[period], timeZone, now + 1000, 1)
  return new Date(start ?? now).toISOString()
}
