import type { Event } from '../audit/schema.ts'
import { hasEnded, type SessionStatus } from '../session/status.ts'
import type { SendType, SubjectKind } from './records.ts'

/** What an event may be worth telling; whether it is, and to whom, is found out when it is. */
export type Notice = {
  readonly type: SendType
  readonly kind: SubjectKind
  /** Null: whatever of this kind the session has. */
  readonly id: string | null
  /** The turn is over; the session goes on. */
  readonly turn?: true
}

type Heard = Pick<Event, 'type' | 'sessionId' | 'data'>

export function noticeOf({ type, sessionId, data }: Heard): Notice | null {
  const id = typeof data['id'] === 'string' ? data['id'] : null
  switch (type) {
    case 'ask.opened':
      return { type: 'needs_you', kind: 'ask', id }
    case 'ask.answered':
    case 'ask.expired':
    case 'ask.interrupted':
    case 'ask.cancelled':
      return { type: 'gone', kind: 'ask', id }
    case 'alert.raised':
    case 'alert.escalated':
      return { type: 'needs_you', kind: 'alert', id }
    case 'alert.dismissed':
    case 'alert.lapsed':
    case 'alert.recovered':
      return { type: 'gone', kind: 'alert', id }
    case 'session.status_changed':
      return worthTelling(data) ? { type: 'done', kind: 'session', id: sessionId } : null
    case 'queue.delivered':
      // A turn somebody cancelled is no news to them.
      return data['outcome'] === 'cancelled' ? null : { type: 'done', kind: 'session', id: sessionId, turn: true }
    default:
      return null
  }
}

/** A session that was only tidied away after its last turn was told of then. */
const worthTelling = ({ to, reason }: Event['data']): boolean =>
  hasEnded(to as SessionStatus) && reason !== 'idle_timeout'
