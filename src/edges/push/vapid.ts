import { createHash } from 'node:crypto'
import type { PushPayload } from '../../domain/push/payload.ts'
import type { KeyPair, PushTarget } from '../../domain/push/records.ts'
import type { PushMessage } from './post.ts'

/** Loaded on first use, to keep the start fast. */
const webPush = async () => (await import('web-push')).default

export const makeKeys = async (): Promise<KeyPair> => (await webPush()).generateVAPIDKeys()

/** A push service keeps only the newest message of a topic for a browser that is offline. */
const topicOf = (tag: string): string => createHash('sha256').update(tag).digest('base64url').slice(0, 32)

const urgencies = { needs_you: 'high', test: 'high', gone: 'normal', done: 'low' } as const

/** Encrypted for the browser, and signed so that its push service knows the sender. */
export async function encryptedMessage(
  payload: PushPayload,
  to: Pick<PushTarget, 'endpoint' | 'keys'>,
  by: KeyPair & { subject: string; ttlSeconds: number },
): Promise<PushMessage> {
  const { subject, publicKey, privateKey, ttlSeconds } = by
  const details = (await webPush()).generateRequestDetails(
    { endpoint: to.endpoint, keys: { ...to.keys } },
    Buffer.from(JSON.stringify(payload)),
    {
      vapidDetails: { subject, publicKey, privateKey },
      TTL: ttlSeconds,
      urgency: payload.silent && payload.type === 'needs_you' ? 'normal' : urgencies[payload.type],
      topic: topicOf(payload.tag),
      contentEncoding: 'aes128gcm',
    },
  )
  return { endpoint: to.endpoint, headers: headersOf(details.headers), body: details.body }
}

const headersOf = (headers: object): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(headers).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  )
