import type { Schedule, ScheduleRun, Timing } from '../domain/schedule/schema.ts'

const units = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** `every 2 hours`, `0 9 * * 1-5 (Europe/Berlin)`, `once`. */
export function timingText(timing: Timing): string {
  if (timing.kind === 'cron') return `${timing.cron} (${timing.timeZone})`
  if (timing.kind === 'at') return 'once'
  const [unit, size] = units.find(([, seconds]) => timing.seconds % seconds === 0) ?? ['second', 1]
  const count = timing.seconds / size
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

/** The interval as it is given: `2h`. */
export function intervalText(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  return `${seconds / size}${unit[0]}`
}

export const placeText = (
  schedule: Pick<Schedule, 'session' | 'workspaceRoot'>,
  group: string | null,
  repo: string | null,
) =>
  schedule.session === 'same'
    ? 'the same session'
    : (group ?? repo ?? schedule.workspaceRoot ?? 'the default workspace')

export const runText = ({ status, reason }: Pick<ScheduleRun, 'status' | 'reason'>): string =>
  reason === null ? status : `${status}: ${reason}`
