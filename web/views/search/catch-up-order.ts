import type { CaughtUpEvent } from '../../../src/client/contract/catch-up.ts'
import type { Signal } from '../../ui/badge.tsx'

export type { CaughtUpEvent }
export type CatchUpEvents = {
  events: CaughtUpEvent[]
  summary: string
  cursor: string
  omitted: Readonly<Record<CaughtUpEvent['severity'], number>>
}

const rank: Readonly<Record<CaughtUpEvent['severity'], number>> = { critical: 0, high: 1, medium: 2, low: 3 }

/** Most important first, then newest. */
export const byWeight = (events: readonly CaughtUpEvent[]): CaughtUpEvent[] =>
  events.toSorted((a, b) => rank[a.severity] - rank[b.severity] || (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))

/** Each read moves the read mark, so earlier events stay on the page and new ones are added. */
export const joined = (before: CatchUpEvents | undefined, now: CatchUpEvents): CatchUpEvents =>
  before === undefined
    ? now
    : {
        ...now,
        events: [...before.events, ...now.events],
        summary: now.events.length === 0 ? before.summary : now.summary,
        omitted: {
          low: before.omitted.low + now.omitted.low,
          medium: before.omitted.medium + now.omitted.medium,
          high: before.omitted.high + now.omitted.high,
          critical: before.omitted.critical + now.omitted.critical,
        },
      }

export const severities: Readonly<Record<CaughtUpEvent['severity'], { words: string; signal: Signal }>> = {
  critical: { words: 'critical', signal: 'stop' },
  high: { words: 'high', signal: 'stop' },
  medium: { words: 'medium', signal: 'wait' },
  low: { words: 'low', signal: 'plain' },
}
