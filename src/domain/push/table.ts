import type { UserId } from '../user/id.ts'
import type { PushDeviceId } from './id.ts'

export type PushTables = {
  /** One row: the key pair that every browser subscribes with. */
  push_keys: { id: number; public_key: string; private_key: string; created_at: string }
  push_devices: {
    id: PushDeviceId
    user_id: UserId
    name: string
    endpoint: string
    /** Origin of the endpoint, which identifies the push service. */
    origin: string
    p256dh: string
    auth: string
    /** The login it was added with; the device ends with it. Null if it was added with a token. */
    login_hash: string | null
    created_at: string
    last_seen_at: string | null
    last_error: string | null
  }
  notification_settings: { user_id: UserId; needs_you: number; done: number; quiet_hours: string | null }
}
