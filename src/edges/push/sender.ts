import type { App } from '../../app/app.ts'
import type { Message } from '../../app/push/tellings.ts'
import type { PushDeviceId } from '../../domain/push/id.ts'
import type { KeyPair, Send, Settled, Target } from '../../domain/push/records.ts'
import { backoff } from '../../lib/backoff.ts'
import { createBell } from '../../lib/bell.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { within } from '../../lib/within.ts'
import type { Post } from './post.ts'
import { sealed } from './vapid.ts'
import { verdictOf, type Verdict } from './verdict.ts'

export type SenderDeps = {
  app: Pick<App, 'push' | 'dispatch'>
  clock: Clock
  log: Logger
  nodeId: string
  keys: KeyPair
  subject: string
  post: Post
  tell(send: Send): Promise<Message | null>
}

export type Sender = AsyncDisposable & {
  wake(): void
  /** Past the line, at once. */
  sendNow(target: Target, message: Message): Promise<Verdict>
}

/** How many messages one push service gets at a time: one that hangs takes no more than these. */
const mostPerService = 8
/** Longer than a try takes; a message of a node that died is sent by another after that. */
const takenMs = 60_000
const lookAgainMs = 30_000
const finishMs = 2_000
const hourMs = 3_600_000
const keptMs = 30 * 24 * hourMs

/** Sends what is due: each device one after the other, services beside each other. */
export function startSender(deps: SenderDeps): Sender {
  const { app, clock, log, nodeId, post } = deps
  const { push } = app
  const bell = createBell()
  const stop = new AbortController()
  const halt = new AbortController()
  const flying = new Map<PushDeviceId, { origin: string; done: Promise<void> }>()
  let tidiedAt = 0

  const inService = (origin: string) => [...flying.values()].filter((one) => one.origin === origin).length
  const fullServices = () =>
    [...new Set([...flying.values()].map(({ origin }) => origin))].filter((one) => inService(one) >= mostPerService)

  async function tryOnce(target: Target, { payload, ttlSeconds }: Message, attempt: number): Promise<Verdict> {
    const sending = async () => {
      const letter = await sealed(payload, target, { ...deps.keys, subject: deps.subject, ttlSeconds })
      return post(letter, halt.signal)
    }
    const reply = await sending().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    return verdictOf(reply, attempt, clock.now())
  }

  async function forget({ deviceId, userId, origin }: Target): Promise<void> {
    log.info({ device: deviceId, service: origin }, 'a device is gone')
    const command = { type: 'push.remove_device' as const, id: deviceId, userId, gone: true }
    const done = await app.dispatch(command, { kind: 'system', name: 'push' })
    if (!done.ok && done.fault.kind !== 'not_found') throw new Error(done.fault.code)
  }

  async function deliver(send: Send): Promise<void> {
    const message = await deps.tell(send)
    const at = () => iso(clock.now())
    if (!message) return push.settle(send, { status: 'dropped' }, at())
    const verdict = await tryOnce(send, message, send.attempts + 1)
    // Stopped in the middle: whether it was taken is not known, and the next start tries again.
    if (halt.signal.aborted && verdict.kind === 'later') return
    if (verdict.kind === 'gone') return forget(send)
    if (verdict.kind !== 'taken')
      log.warn(
        { device: send.deviceId, service: send.origin, attempt: send.attempts + 1, error: verdict.error },
        'push',
      )
    await push.settle(send, settledBy(verdict, clock.now()), at())
  }

  async function startDue(): Promise<number> {
    const now = clock.now()
    const due = await push.due(iso(now), { devices: [...flying.keys()], origins: fullServices() })
    let started = 0
    for (const send of due) {
      if (stop.signal.aborted) break
      if (inService(send.origin) >= mostPerService) continue
      if (!(await push.take(send.id, nodeId, iso(now), iso(now + takenMs)))) continue
      started += 1
      const done = deliver(send)
        .catch((error: unknown) => log.error({ send: send.id, error: String(error) }, 'a message could not be handled'))
        .finally(() => {
          flying.delete(send.deviceId)
          bell.ring()
        })
      flying.set(send.deviceId, { origin: send.origin, done })
    }
    return started
  }

  async function tidy(): Promise<void> {
    if (clock.now() - tidiedAt < hourMs) return
    tidiedAt = clock.now()
    await push.forgetBefore(iso(clock.now() - keptMs))
  }

  async function loop(): Promise<void> {
    await push.releaseTaken(nodeId)
    while (!stop.signal.aborted) {
      const known = bell.rings()
      if ((await startDue()) > 0) continue
      await tidy()
      const next = await push.nextAt()
      // What is due and was not started waits for a device, a service or another node.
      const wake = next === null ? null : Math.max(Date.parse(next), clock.now() + 1000)
      using _timer = wake === null ? null : clock.at(wake, bell.ring)
      await bell.after(known, lookAgainMs, stop.signal)
    }
  }

  async function forever(): Promise<void> {
    for (let failures = 1; !stop.signal.aborted; failures += 1)
      await loop().catch(async (error: unknown) => {
        log.error({ error: String(error) }, 'the sending of notifications stopped; starting again')
        await createBell().after(0, backoff(failures, 100, 5000), stop.signal)
      })
  }

  const done = forever()
  return {
    wake: bell.ring,
    async sendNow(target, message) {
      const verdict = await tryOnce(target, message, 1)
      if (verdict.kind === 'gone') await forget(target)
      else await push.note(target.deviceId, verdict.kind === 'taken' ? null : verdict.error, iso(clock.now()))
      return verdict
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
      // What is under way may have been taken; a moment more, and it is known.
      const ended = () => Promise.all([...flying.values()].map((one) => one.done))
      await within(ended(), finishMs)
      halt.abort()
      await ended()
    },
  }
}

function settledBy(verdict: Exclude<Verdict, { kind: 'gone' }>, now: number): Settled {
  switch (verdict.kind) {
    case 'taken':
      return { status: 'sent' }
    case 'refused':
      return { status: 'failed', error: verdict.error }
    case 'later':
      return { status: 'waiting', error: verdict.error, nextAt: iso(now + verdict.afterMs) }
    default:
      return verdict satisfies never
  }
}
