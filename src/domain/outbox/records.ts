import type { EventId } from '../audit/schema.ts'
import type { SessionId } from '../session/id.ts'

export type OutboxId = string & { readonly _outbox: never }
export type MessageType = 'needs_you' | 'done' | 'gone'
export type SubjectKind = 'ask' | 'alert' | 'session'

/** What a message is about. What it says is made when it is sent, as things are then. */
export type MessageSubject = { readonly kind: SubjectKind; readonly id: string; readonly sessionId: SessionId | null }

/** Where a sender delivers: a device, a chat, an address. */
export type Destination = {
  readonly destination: string
  /** What shares its limits and its troubles: the service behind it. */
  readonly lane: string
}

export type NewOutboxItem = Destination & {
  readonly sender: string
  /** The same key for the same destination a second time changes nothing. */
  readonly key: string
  readonly eventId: EventId
  readonly type: MessageType
  readonly subject: MessageSubject
  readonly at: string
}

export type OutboxItem = Destination & {
  readonly id: OutboxId
  readonly type: MessageType
  readonly subject: MessageSubject
  /** Which try this is, from 1. */
  readonly attempt: number
  readonly createdAt: string
  /** An earlier try was cut off: it may have arrived. */
  readonly inDoubt: boolean
}

/** What came of a try. `gone`: nobody is there any more. `dropped`: it need no longer be said. */
export type SendOutcome =
  | { readonly kind: 'sent' | 'dropped' }
  | { readonly kind: 'transient' | 'permanent' | 'gone'; readonly error: string }
  | { readonly kind: 'rate_limited'; readonly error: string; readonly retryAfterMs: number }

export type ErrorClass = Exclude<SendOutcome['kind'], 'sent' | 'dropped'> | 'in_doubt'

export type Settlement =
  | { readonly status: 'sent' | 'dropped' }
  | { readonly status: 'failed'; readonly errorClass: ErrorClass; readonly error: string }
  | { readonly status: 'waiting'; readonly errorClass: ErrorClass; readonly error: string; readonly nextAt: string }
