import { ECDH } from 'node:crypto'
import type { App } from '../../app/app.ts'
import { announcesByPush, createPushPayloads } from '../../app/push/payloads.ts'
import { createRecipients, type FindRecipients } from '../../app/recipients/recipients.ts'
import type { PushDeviceId } from '../../domain/push/id.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { UserId } from '../../domain/user/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { createRateLimit } from '../../lib/rate-limit.ts'
import type { Follower } from '../../app/follow.ts'
import { endpointRefusal } from './private-addresses.ts'
import { createPost } from './post.ts'
import { createPushSender, makeKeys } from './sender.ts'

export type PushDeps = {
  app: App
  clock: Clock
  log: Logger
  /** Contact for push services: a mailto: or https: address. */
  subject: string
  allowPrivate: boolean
  isLooking(userId: UserId, sessionId: SessionId | null): boolean
  timeoutMs?: number
}

export type Push = AsyncDisposable & {
  readonly publicKey: string
  /** Why this endpoint is refused; null if it is allowed. */
  refuses(endpoint: string, keys: { p256dh: string }): Failed | null
  test(userId: UserId, id: PushDeviceId): Promise<Result<{ delivered: boolean; error: string | null }>>
}

const timeoutMs = 10_000
/** Each is a request to wherever the device says: enough to see that it works. */
const mostTests = 5
const minuteMs = 60_000

/** Notifications: the key pair, the follower that fills the outbox, and the sender. */
export async function startPush(deps: PushDeps): Promise<Push> {
  const { app, clock, log, subject, allowPrivate, isLooking } = deps
  const keys = await app.push.keys(makeKeys, iso(clock.now()))
  await using stack = new AsyncDisposableStack()
  const post = stack.use(createPost({ allowPrivate, timeoutMs: deps.timeoutMs ?? timeoutMs }))
  const payloads = createPushPayloads({ app, clock })
  const sender = createPushSender({ app, clock, log, keys, subject, post, tell: payloads.of })
  stack.use(app.outbox.run(sender))
  const limit = createRateLimit({ clock, most: mostTests, perMs: minuteMs })
  const channel = { sender: sender.name, announces: announcesByPush, addressees: app.push.addressees }
  stack.use(app.follow.run(pushFollower(app, createRecipients({ app, clock, isLooking }, channel))))
  const whole = stack.move()
  return {
    publicKey: keys.publicKey,
    refuses(endpoint, { p256dh }) {
      const why = endpointRefusal(endpoint, allowPrivate)
      const hint =
        'Only push services of browsers are allowed. For tests on one machine, see push.allow_private_endpoints.'
      if (why !== null) return fail({ kind: 'invalid', code: 'endpoint_refused', message: why, hint })
      return isPoint(p256dh) ? null : fail(badKey)
    },
    async test(userId, id) {
      const target = await app.push.target(userId, id)
      if (!target) return notFound('push_device', id)
      const waits = limit.take(userId)
      if (waits !== null) return tooMany(waits)
      const outcome = await sender.sendNow(target, await payloads.test(userId))
      if (!('error' in outcome)) return ok({ delivered: true, error: null })
      const gone = 'the push service no longer knows this browser; the device was removed'
      return ok({ delivered: false, error: outcome.kind === 'gone' ? gone : outcome.error })
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  }
}

const tooMany = (seconds: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_tests',
    message: `At most ${mostTests} test notifications are sent per minute.`,
    hint: `Try again in ${seconds} seconds. Other notifications are still sent.`,
    details: { retryAfter: seconds },
  })

const badKey = {
  kind: 'invalid' as const,
  code: 'bad_device_key',
  message: "This browser's key is not a point on P-256.",
  hint: "Send p256dh and auth exactly as the browser's subscription has them.",
}

/** Checked now, because encryption for an invalid key would fail on every message. */
function isPoint(p256dh: string): boolean {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}

/**
 * Adds a row to the outbox for each event and device. Sending is left to the sender, so a push service that hangs delays
 * nothing else.
 */
const pushFollower = (app: Pick<App, 'outbox'>, recipientsOf: FindRecipients): Follower => ({
  name: 'push',
  scope: 'single',
  from: 'now',
  handle: async (event, guard) => app.outbox.add(await recipientsOf(event), guard),
})
