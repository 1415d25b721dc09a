import type { Json } from '../../lib/json.ts'
import type { AskId } from '../ask/id.ts'
import type { SessionId } from '../session/id.ts'
import type { ChatInstanceId, InboxId, WiringId } from './id.ts'

/** A chat as a platform names it. */
export type ChatRef = {
  readonly id: string
  readonly name: string | null
  readonly isGroup: boolean
  readonly isDirect: boolean
}

export type ChatSender = {
  readonly handle: string
  /** `slack:U…`, `tg:…`, `discord:…` */
  readonly identity: string
  readonly name: string | null
  readonly isBot: boolean
}

/** A file on a platform, fetched when it is needed. */
export type FileRef = {
  readonly id: string
  readonly name: string
  readonly mime: string | null
  readonly bytes: number | null
}

type Place = { readonly key: string; readonly chat: ChatRef; readonly thread: string | null }

/** Text of a message is without our own mention. */
export type IncomingMessage = Place & {
  readonly kind: 'message'
  readonly messageId: string
  readonly sender: ChatSender
  readonly text: string
  readonly mentionsUs: boolean
  readonly files: readonly FileRef[]
  readonly replyTo: string | null
  readonly at: string
}

/** What a platform reports. `key` identifies the event, so that a second delivery is ignored. */
export type Incoming =
  | IncomingMessage
  | (Place & {
      readonly kind: 'click'
      readonly messageId: string
      readonly sender: ChatSender
      readonly action: string
      readonly reply: Json
    })
  | (Place & { readonly kind: 'command'; readonly sender: ChatSender; readonly text: string; readonly reply: Json })
  | (Place & {
      readonly kind: 'form'
      readonly messageId: string
      readonly sender: ChatSender
      readonly action: string
      readonly text: string
      readonly reply: Json
    })
  | { readonly kind: 'joined' | 'left'; readonly key: string; readonly chat: ChatRef }

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
