import type { Alert } from '../../../src/domain/alert/schema.ts'
import { duration } from '../../ui/relative-time.ts'

type AlertTimes = Pick<Alert, 'cause' | 'idleSeconds' | 'createdAt' | 'closedAt'>

/** `now`: an open alert keeps counting; a closed one says how long it was until then. */
export function alertTitle({ cause, idleSeconds, createdAt, closedAt }: AlertTimes, now: number): string {
  const until = closedAt === null ? now : Date.parse(closedAt)
  const time = duration(idleSeconds + Math.max(0, until - Date.parse(createdAt)) / 1000)
  return cause === 'silent' ? `No activity for ${time}` : `No progress for ${time}`
}

/** What was tried, and what happens next. */
export function nudgeText({ status, nudgeCount, nextAt }: Pick<Alert, 'status' | 'nudgeCount' | 'nextAt'>): string {
  const tried = nudgeCount === 0 ? 'Not nudged yet' : nudgeCount === 1 ? 'Nudged once' : `Nudged ${nudgeCount} times`
  if (status === 'escalated')
    return nudgeCount === 0
      ? 'No response.'
      : `No response after ${nudgeCount} ${nudgeCount === 1 ? 'nudge' : 'nudges'}.`
  return nextAt === null ? `${tried}.` : `${tried}; the next step is automatic.`
}

/** `who` is the name of the person who closed it. */
export function alertOutcome(
  { status, nudgeCount, closedAt }: Pick<Alert, 'status' | 'nudgeCount' | 'closedAt'>,
  who: string | null,
): string {
  if (status === 'dismissed')
    return who === null || who === 'Signalbox itself' ? 'No longer relevant' : `Dismissed by ${who}`
  if (status === 'self_recovered') return nudgeCount === 0 ? 'Recovered without a nudge' : 'Recovered after a nudge'
  return closedAt === null ? 'Open' : 'Closed'
}
