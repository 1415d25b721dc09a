import * as z from 'zod'
import type { DataOf } from '../slice/events.ts'
import { UserId } from '../user/id.ts'
import { PushDeviceId } from './id.ts'
import { QuietHours } from './quiet-hours.ts'

export { PushDeviceId }

export const PushDevice = z
  .object({
    id: PushDeviceId,
    name: z.string(),
    endpointHost: z.string().meta({ description: 'Host of the push service.' }),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().nullable().meta({ description: 'When its push service last accepted a message.' }),
    lastError: z.string().nullable().meta({ description: 'Why the last message failed, if it did.' }),
  })
  .meta({ id: 'PushDevice' })
export type PushDevice = z.infer<typeof PushDevice>

export const NotificationSettings = z
  .strictObject({
    needsYou: z.boolean().meta({ description: 'With a sound: an ask or an alert is waiting for you.' }),
    done: z.boolean().meta({ description: 'Silent: a turn or a session of yours has ended.' }),
    quietHours: QuietHours.nullable().meta({
      description: 'No sounds, except for critical or dangerous asks.',
    }),
  })
  .meta({ id: 'NotificationSettings' })
export type NotificationSettings = z.infer<typeof NotificationSettings>

export const usualSettings: NotificationSettings = { needsYou: true, done: true, quietHours: null }

export const DeviceName = z.string().trim().min(1).max(100)
export const Endpoint = z.url().max(2000)
/** An uncompressed P-256 point and 16 random bytes, both in base64url. */
export const DeviceKeys = z.strictObject({
  p256dh: z.string().regex(/^B[\w-]{86}={0,2}$/, 'must be an uncompressed P-256 key in base64url'),
  auth: z.string().regex(/^[\w-]{22}={0,2}$/, 'must be 16 bytes in base64url'),
})

const about = { id: PushDeviceId, userId: UserId }

export const PushCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('push.add_device'),
    ...about,
    name: DeviceName,
    endpoint: Endpoint,
    keys: DeviceKeys,
    /** Hash of the login cookie it was added with. */
    loginHash: z.string().nullable().default(null),
  }),
  /** `gone`: its push service says that the subscription no longer exists. */
  z.object({ type: z.literal('push.remove_device'), ...about, gone: z.boolean().default(false) }),
  z.object({ type: z.literal('push.set_settings'), userId: UserId, settings: NotificationSettings }),
])
export type PushCommand = z.infer<typeof PushCommand>

const ref = { id: PushDeviceId, userId: UserId }

/** Events of devices in the log. */
export const pushEvents = {
  'push.device_added': () => z.object({ ...ref, host: z.string() }),
  /** The same browser subscribed again, perhaps with a new name or new keys. */
  'push.device_renewed': () => z.object(ref),
  'push.device_removed': () => z.object({ ...ref, gone: z.boolean() }),
  'push.settings_changed': () => z.object({ userId: UserId }),
}
type Data = DataOf<typeof pushEvents>

export type PushChange =
  | { type: 'push.device_added'; data: Data['push.device_added']; body: Added & { endpoint: string } }
  | { type: 'push.device_renewed'; data: Data['push.device_renewed']; body: Added }
  | { type: 'push.device_removed'; data: Data['push.device_removed'] }
  | { type: 'push.settings_changed'; data: Data['push.settings_changed']; body: NotificationSettings }
type Added = { name: string; keys: z.infer<typeof DeviceKeys>; loginHash: string | null }
