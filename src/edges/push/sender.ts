import { createHash } from 'node:crypto'
import type { App } from '../../app/app.ts'
import type { Sender } from '../../app/outbox.ts'
import type { ComposedPush } from '../../app/push/payloads.ts'
import type { SendOutcome } from '../../domain/outbox/records.ts'
import type { PushDeviceId } from '../../domain/push/id.ts'
import type { KeyPair, NotificationRequest, PushTarget } from '../../domain/push/records.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { PushPayload } from '../../domain/push/payload.ts'
import type { Post, PushReply, PushMessage } from './post.ts'

export type SenderDeps = {
  app: Pick<App, 'push' | 'dispatch'>
  clock: Clock
  log: Logger
  keys: KeyPair
  subject: string
  post: Post
  tell(send: NotificationRequest): Promise<ComposedPush | null>
}

export type PushSender = Sender & {
  /** At once, without the outbox. */
  sendNow(target: PushTarget, message: ComposedPush): Promise<SendOutcome>
}

/** Sends notifications. Their text is made when they are sent, and encrypted for one device. */
export function createPushSender(deps: SenderDeps): PushSender {
  const { app, clock, log, post } = deps
  const never = new AbortController().signal

  async function deliver(
    target: PushTarget,
    { payload, ttlSeconds }: ComposedPush,
    stop: AbortSignal,
  ): Promise<SendOutcome> {
    const sending = async () => {
      const encrypted = await encryptedMessage(payload, target, { ...deps.keys, subject: deps.subject, ttlSeconds })
      return post(encrypted, stop)
    }
    const reply = await sending().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    const outcome = outcomeOf(reply, clock.now())
    // Stopped while sending: the result is unknown.
    if (stop.aborted && outcome.kind === 'transient') return outcome
    if (outcome.kind === 'gone') await forget(target)
    else await app.push.note(target.deviceId, 'error' in outcome ? outcome.error : null, iso(clock.now()))
    return outcome
  }

  async function forget({ deviceId, userId, origin }: PushTarget): Promise<void> {
    log.info({ device: deviceId, service: origin }, 'the push service no longer knows a device')
    const command = { type: 'push.remove_device' as const, id: deviceId, userId, gone: true }
    const done = await app.dispatch(command, { kind: 'system', name: 'push' })
    if (!done.ok && done.fault.kind !== 'not_found') throw new Error(done.fault.code)
  }

  return {
    name: 'push',
    // Order does not matter: a browser replaces notifications with the same tag.
    ordered: false,
    inDoubt: 'again',
    async send({ type, subject, ...item }, stop) {
      if (type === 'post' || subject.kind === 'post') return { kind: 'dropped' }
      const device = await app.push.device(item.destination as PushDeviceId)
      const message =
        device && (await deps.tell({ ...item, type, subject: { ...subject, kind: subject.kind }, ...device }))
      return message ? deliver(device, message, stop) : { kind: 'dropped' }
    },
    sendNow: (target, message) => deliver(target, message, never),
  }
}

/** What the reply of a push service means for the message. */
export function outcomeOf(reply: PushReply | Error, now: number): SendOutcome {
  if (reply instanceof Error) return { kind: 'transient', error: reply.message }
  const { status, body, retryAfter } = reply
  if (status >= 200 && status < 300) return { kind: 'sent' }
  const words = body.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  const error = `the push service answered ${status}${words === '' ? '' : `: ${words.slice(0, 200)}`}`
  if (status === 404 || status === 410) return { kind: 'gone', error }
  if (status === 429 || (status >= 500 && retryAfter !== null))
    return { kind: 'rate_limited', error, retryAfterMs: retryAfterMsOf(retryAfter, now) }
  return { kind: status >= 500 ? 'transient' : 'permanent', error }
}

/** Retry-After is in seconds or a date. */
function retryAfterMsOf(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

/** Loaded on first use, to keep the start fast. */
const webPush = async () => (await import('web-push')).default

export const makeKeys = async (): Promise<KeyPair> => (await webPush()).generateVAPIDKeys()

/** A push service keeps only the newest message of a topic for a browser that is offline. */
const topicOf = (tag: string): string => createHash('sha256').update(tag).digest('base64url').slice(0, 32)

const urgencies = { needs_you: 'high', test: 'high', gone: 'normal', done: 'low' } as const

/** Encrypted for the browser, and signed so that its push service knows the sender. */
async function encryptedMessage(
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
