import type { Destination, MessageType, MessageSubject } from '../outbox/records.ts'
import type { UserId } from '../user/id.ts'
import type { PushDeviceId } from './id.ts'
import type { NotificationSettings } from './schema.ts'

/** A person with devices. */
export type Addressee = {
  readonly userId: UserId
  readonly settings: NotificationSettings
  readonly destinations: readonly Destination[]
}

/** How a device is reached. */
export type PushTarget = {
  readonly deviceId: PushDeviceId
  readonly userId: UserId
  readonly endpoint: string
  readonly origin: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** A notification to one person. */
export type NotificationRequest = {
  readonly userId: UserId
  readonly settings: NotificationSettings
  readonly type: MessageType
  readonly subject: MessageSubject
  readonly createdAt: string
}

export type KeyPair = { readonly publicKey: string; readonly privateKey: string }

/** Records of the push edge in the database. They need no decision, so they are not commands. */
export type PushRecords = {
  /** The key pair of this installation, made on first use; the first stored pair wins. */
  keys(make: () => Promise<KeyPair>, at: string): Promise<KeyPair>
  addressees(now: string): Promise<Addressee[]>
  target(userId: UserId, id: PushDeviceId): Promise<PushTarget | null>
  /** A device with its person's settings; null if it was removed. */
  device(id: PushDeviceId): Promise<(PushTarget & { readonly settings: NotificationSettings }) | null>
  /** How many asks and alerts wait for a person. */
  waitingFor(
    userId: UserId,
    rules: { readonly adminsMayAnswer: boolean; readonly separateRequester: boolean },
  ): Promise<number>
  /** Records the result of a message to a device. */
  note(id: PushDeviceId, error: string | null, at: string): Promise<void>
}
