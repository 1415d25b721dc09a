import type { AlertChange } from '../alert/schema.ts'
import type { AskChange } from '../ask/change.ts'
import type { QueueChange } from '../queue/schema.ts'
import type { ScheduleChange } from '../schedule/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { SessionOwnChange } from '../session/schema.ts'
import { hasEnded } from '../session/status.ts'
import type { MessageType, SubjectKind } from '../outbox/records.ts'

/** What an event may be worth a notification for. Whether it is sent, and to whom, is decided later. */
export type Notice = {
  readonly type: MessageType
  readonly kind: SubjectKind
  /** Null: all of this kind in the session. */
  readonly id: string | null
  /** Only a turn ended; the session is still open. */
  readonly turn?: true
}

type EventShape<X> = X extends { type: infer T; data: infer D } ? { readonly type: T; readonly data: D } : never
type NoticeableEvent = EventShape<AskChange | AlertChange | SessionOwnChange | QueueChange | ScheduleChange> & {
  readonly sessionId: SessionId | null
}

export function noticeOf(event: NoticeableEvent): Notice | null {
  const { sessionId } = event
  switch (event.type) {
    case 'ask.opened':
    case 'ask.escalated':
      return { type: 'needs_you', kind: 'ask', id: event.data.id }
    case 'ask.answered':
    case 'ask.expired':
    case 'ask.interrupted':
    case 'ask.cancelled':
      return { type: 'gone', kind: 'ask', id: event.data.id }
    case 'alert.raised':
    case 'alert.escalated':
      return { type: 'needs_you', kind: 'alert', id: event.data.id }
    case 'alert.dismissed':
    case 'alert.lapsed':
    case 'alert.recovered':
      return { type: 'gone', kind: 'alert', id: event.data.id ?? null }
    case 'session.status_changed':
      // Ended for being idle: the end of its last turn was announced.
      return hasEnded(event.data.to) && event.data.reason !== 'idle_timeout'
        ? { type: 'done', kind: 'session', id: sessionId }
        : null
    case 'queue.delivered':
      // A person cancelled the turn, so it is not news.
      return event.data.outcome === 'cancelled' ? null : { type: 'done', kind: 'session', id: sessionId, turn: true }
    case 'schedule.run_ended':
      return event.data.outcome === 'failed' && isNewsOfFailures(event.data.failuresInARow)
        ? { type: 'needs_you', kind: 'schedule', id: event.data.id }
        : null
    default:
      return null
  }
}

/** A schedule that fails every minute is not announced every minute. */
export const isNewsOfFailures = (failures: number): boolean => [1, 3, 10, 30].includes(failures) || failures % 100 === 0
