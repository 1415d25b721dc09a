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
  missed: 'late',
  manual: 'started by hand',
}

export const missedWords: Readonly<Record<Schedule['missed'], { label: string; about: string }>> = {
  skip: { label: 'Skip', about: 'Runs that were due while no server was running are skipped.' },
  once: { label: 'Run once', about: 'One run replaces all that were due while no server was running.' },
  all: {
    label: 'Run all',
    about: 'All runs that were due while no server was running start now, one after the other.',
  },
}

export const overlapWords: Readonly<Record<Schedule['overlap'], { label: string; about: string }>> = {
  skip: { label: 'Skip', about: 'If the last run has not ended, this one is left out.' },
  queue: { label: 'Queue', about: 'If the last run has not ended, this one waits for it.' },
}
