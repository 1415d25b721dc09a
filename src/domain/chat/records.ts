import type { AskId } from '../ask/id.ts'
import type { SessionId } from '../session/id.ts'
import type { ChatInstanceId, InboxId, WiringId } from './id.ts'
import type { Incoming } from './incoming.ts'

/** `held`: waits for the answer to an ask. `ignored`: nobody took it, and nothing of it is kept. */
export type InboxStatus = 'waiting' | 'done' | 'held' | 'failed' | 'ignored'

/** An incoming event, stored before it is acknowledged. */
export type InboxRow = {
  readonly id: InboxId
  readonly instanceId: ChatInstanceId
  /** Events of one lane are handled one by one. */
  readonly lane: string
  readonly event: Incoming
  readonly status: InboxStatus
  readonly askId: AskId | null
  readonly attempts: number
  readonly receivedAt: string
}

/** What a wiring did with a message; `kept` as context for the next one. */
export type DeliveryOutcome = 'delivered' | 'kept' | 'ignored' | 'refused' | 'held' | 'failed'

export type Delivery = {
  readonly wiringId: WiringId
  readonly outcome: DeliveryOutcome
  readonly sessionId: SessionId | null
  readonly detail: string | null
}
