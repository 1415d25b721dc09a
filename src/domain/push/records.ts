import type { EventId } from '../audit/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { UserId } from '../user/id.ts'
import type { PushDeviceId } from './id.ts'
import type { NotificationSettings } from './schema.ts'

export type SendId = string & { readonly _send: never }
export type SendType = 'needs_you' | 'done' | 'gone'
export type SubjectKind = 'ask' | 'alert' | 'session'
export type Subject = { readonly kind: SubjectKind; readonly id: string; readonly sessionId: SessionId | null }

/** Somebody with at least one device. */
export type Addressee = {
  readonly userId: UserId
  readonly settings: NotificationSettings
  readonly devices: readonly PushDeviceId[]
}

export type NewSend = {
  readonly eventId: EventId
  readonly deviceId: PushDeviceId
  readonly type: SendType
  readonly subject: Subject
  readonly at: string
}

/** Where a device is reached. */
export type Target = {
  readonly deviceId: PushDeviceId
  readonly userId: UserId
  readonly endpoint: string
  readonly origin: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** Something to be sent, with where to. */
export type Send = Target & {
  readonly id: SendId
  readonly type: SendType
  readonly subject: Subject
  readonly attempts: number
  readonly createdAt: string
  readonly settings: NotificationSettings
}

export type KeyPair = { readonly publicKey: string; readonly privateKey: string }

/** What came of a try. */
export type Settled =
  | { readonly status: 'sent' | 'dropped' }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'waiting'; readonly error: string; readonly nextAt: string }

/** Bookkeeping of the push edge, bound to the database. Nothing of it is decided, so nothing of it is a command. */
export type PushRecords = {
  /** The pair everybody shares: made where there is none, and the first one that was kept. */
  keys(make: () => Promise<KeyPair>, at: string): Promise<KeyPair>
  addressees(now: string): Promise<Addressee[]>
  target(userId: UserId, id: PushDeviceId): Promise<Target | null>
  /** The same event and device a second time changes nothing. */
  add(sends: readonly NewSend[]): Promise<void>
  /** Devices on which something was said of it; without an id, of anything of that kind in the session. */
  told(kind: SubjectKind, about: { id: string } | { sessionId: SessionId }): Promise<(Subject & Told)[]>
  /** The oldest that are due, of devices that are free and services that have room; one for each device. */
  due(now: string, except: { devices: readonly PushDeviceId[]; origins: readonly string[] }): Promise<Send[]>
  /** When the next one is due, if any waits. */
  nextAt(): Promise<string | null>
  /** Whether this node may send it now. */
  take(id: SendId, node: string, now: string, until: string): Promise<boolean>
  settle(send: Pick<Send, 'id' | 'deviceId'>, settled: Settled, at: string): Promise<void>
  /** What this node held when it was killed. */
  releaseTaken(node: string): Promise<void>
  /** How many items wait for a person. */
  waitingFor(userId: UserId, adminsMayAnswer: boolean): Promise<number>
  /** Removes what was settled before. */
  forgetBefore(at: string): Promise<void>
  /** What came of a message that was not in the line. */
  note(id: PushDeviceId, error: string | null, at: string): Promise<void>
}
type Told = { readonly deviceId: PushDeviceId }
