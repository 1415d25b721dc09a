import type { EventId } from '../audit/schema.ts'
import type { SessionId } from '../session/id.ts'

export type OutboxId = string & { readonly _outbox: never }
export type MessageType = 'needs_you' | 'done' | 'gone'
export type SubjectKind = 'ask' | 'alert' | 'session' | 'schedule'

/** What a message is about. Its text is made when it is sent. */
export type MessageSubject = { readonly kind: SubjectKind; readonly id: string; readonly sessionId: SessionId | null }

/** Notifications, and posts of a chat; a post is its own subject. */
export type ItemType = MessageType | 'post'
export type ItemSubject = Omit<MessageSubject, 'kind'> & { readonly kind: SubjectKind | 'post' }

/** Where a sender delivers: a device, a chat, an address. */
export type Destination = {
  readonly destination: string
  /** The service behind it; its destinations share one rate limit and fail together. */
  readonly lane: string
}

export type NewOutboxItem = Destination & {
  readonly sender: string
  /** A second item with the same key and destination is ignored. */
  readonly key: string
  readonly eventId: EventId
  readonly type: ItemType
  readonly subject: ItemSubject
  readonly at: string
}

export type OutboxItem = Destination & {
  readonly id: OutboxId
  readonly type: ItemType
  readonly subject: ItemSubject
  /** Number of this attempt, from 1. */
  readonly attempt: number
  readonly createdAt: string
  /** An earlier attempt was cut off and may have arrived. */
  readonly inDoubt: boolean
}

/**
 * Result of an attempt. `gone`: the destination no longer exists. `dropped`: the message is no longer needed. `unsure`: it
 * may have arrived; the next attempt knows that it is in doubt.
 */
export type SendOutcome =
  | { readonly kind: 'sent' | 'dropped' }
  | { readonly kind: 'transient' | 'unsure' | 'permanent' | 'gone'; readonly error: string }
  | { readonly kind: 'rate_limited'; readonly error: string; readonly retryAfterMs: number }

export type ErrorClass = Exclude<SendOutcome['kind'], 'sent' | 'dropped'> | 'in_doubt'

export type Settlement =
  | { readonly status: 'sent' | 'dropped' }
  | { readonly status: 'failed'; readonly errorClass: ErrorClass; readonly error: string }
  | {
      readonly status: 'waiting'
      readonly errorClass: ErrorClass
      readonly error: string
      readonly nextAt: string
      readonly inDoubt: boolean
    }
