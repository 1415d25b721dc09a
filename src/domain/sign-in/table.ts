import type { UserId } from '../user/id.ts'
import type { PasskeyId } from './id.ts'
import type { DeviceOutcome } from './schema.ts'

export type SignInTables = {
  passkeys: {
    id: PasskeyId
    user_id: UserId
    name: string
    /** As the authenticator made it, base64url. */
    credential_id: string
    /** SPKI, base64url. */
    public_key: string
    origin: string
    sign_count: number
    created_at: string
    last_used_at: string | null
    removed_at: string | null
  }
  /** `user_id`: who may add a passkey with it; null for a sign-in. */
  passkey_challenges: { hash: string; user_id: UserId | null; expires_at: string; used_at: string | null }
  device_logins: {
    /** Of the secret that only the new device has. */
    request_hash: string
    /** Of the code that it shows. */
    code_hash: string
    address: string
    browser: string
    created_at: string
    expires_at: string
    user_id: UserId | null
    outcome: DeviceOutcome | null
    used_at: string | null
  }
}
