import type { Schedule, ScheduleRun } from '../../../src/domain/schedule/schema.ts'
import type { Signal } from '../../ui/badge.tsx'

/** In the time zone of the viewer. */
export const localTime = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const runSignal: Readonly<Record<ScheduleRun['status'], Signal>> = {
  pending: 'plain',
  running: 'info',
  completed: 'clear',
  failed: 'stop',
  skipped: 'wait',
}

export const triggerWords: Readonly<Record<ScheduleRun['trigger'], string>> = {
  due: 'on time',
  missed: 'made up for',
  manual: 'started by hand',
}

export const missedWords: Readonly<Record<Schedule['missed'], { label: string; about: string }>> = {
  skip: { label: 'Skip', about: 'Due times while no server was running are left out.' },
  once: { label: 'Run once', about: 'One run makes up for all due times while no server was running.' },
  all: { label: 'Run all', about: 'Each due time while no server was running is made up for, one after the other.' },
}

export const overlapWords: Readonly<Record<Schedule['overlap'], { label: string; about: string }>> = {
  skip: { label: 'Skip', about: 'If the last run has not ended, this one is left out.' },
  queue: { label: 'Queue', about: 'If the last run has not ended, this one waits for it.' },
}
