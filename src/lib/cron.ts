import { Cron } from 'croner'

/**
 * Croner is asked for one instant and dropped: an object that is kept costs 100 KB. In a gap of daylight saving a time comes
 * at the first instant after it; a fixed time in a repeated hour comes once, in the first one.
 */
const cronOf = (line: string, timeZone: string): Cron => new Cron(line, { timezone: timeZone, mode: '5-part' })

/** The first instant after `after` of a cron line with five fields; null if it never comes. Throws if the line is invalid. */
export const nextOfCron = (line: string, timeZone: string, after: number): number | null =>
  cronOf(line, timeZone).nextRun(new Date(after))?.getTime() ?? null

/** The last instants before `before`, newest first. */
export const lastOfCron = (line: string, timeZone: string, before: number, most: number): number[] =>
  cronOf(line, timeZone)
    .previousRuns(most, new Date(before))
    .map((at) => at.getTime())
