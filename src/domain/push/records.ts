import type { Destination, MessageType, MessageSubject } from '../outbox/records.ts'
import type { UserId } from '../user/id.ts'
import type { PushDeviceId } from './id.ts'
import type { NotificationSettings } from './schema.ts'

/** Somebody who can be told, and where. */
export type Addressee = {
  readonly userId: UserId
  readonly settings: NotificationSettings
  readonly destinations: readonly Destination[]
}

/** Where a device is reached. */
export type PushTarget = {
  readonly deviceId: PushDeviceId
  readonly userId: UserId
  readonly endpoint: string
  readonly origin: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** Something to be told to somebody. */
export type NotificationRequest = {
  readonly userId: UserId
  readonly settings: NotificationSettings
  readonly type: MessageType
  readonly subject: MessageSubject
  readonly createdAt: string
}

export type KeyPair = { readonly publicKey: string; readonly privateKey: string }

/** Bookkeeping of the push edge, bound to the database. Nothing of it is decided, so nothing of it is a command. */
export type PushRecords = {
  /** The pair everybody shares: made where there is none, and the first one that was kept. */
  keys(make: () => Promise<KeyPair>, at: string): Promise<KeyPair>
  addressees(now: string): Promise<Addressee[]>
  target(userId: UserId, id: PushDeviceId): Promise<PushTarget | null>
  /** A device, and what its person wants to be told; null if it was removed. */
  device(id: PushDeviceId): Promise<(PushTarget & { readonly settings: NotificationSettings }) | null>
  /** How many items wait for a person. */
  waitingFor(userId: UserId, adminsMayAnswer: boolean): Promise<number>
  /** What came of a message to a device. */
  note(id: PushDeviceId, error: string | null, at: string): Promise<void>
}
