import type { SessionId } from '../domain/session/id.ts'
import type {
  Destination,
  NewOutboxItem,
  OutboxItem,
  SendOutcome,
  Settlement,
  MessageSubject,
  SubjectKind,
} from '../domain/outbox/records.ts'
import {
  addItems,
  claimItem,
  deadItem,
  deadItems,
  dueItems,
  forgetItems,
  hastenItems,
  nextItemAt,
  resolveDoubts,
  reviveItem,
  settleItem,
  notifiedDestinations,
} from '../domain/outbox/store.ts'
import type { Guard } from '../db/leases.ts'
import type { Database } from '../db/open.ts'
import { backoff } from '../lib/backoff.ts'
import { createWakeSignal, type WakeSignal } from '../lib/wake-signal.ts'
import { iso, type Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { withTimeLimit } from '../lib/time-limit.ts'

/** Delivers to one kind of destination: devices, chats, addresses. */
export type Sender = {
  readonly name: string
  /** `true`: a later item waits until the earlier ones are sent or given up. */
  readonly ordered: boolean
  /** What to do with an interrupted attempt: send it again, or hold it until a person decides. */
  readonly inDoubt: 'again' | 'hold'
  /** How long an attempt may take; after that, an item of a dead node is in doubt. Default: 20 seconds. */
  readonly claimMs?: number
  /** Limit of concurrent sends per lane, so that a lane that hangs cannot use up more. Default: 8. */
  readonly mostPerLane?: number
  /** Destinations that hang together, by a common beginning of their names; no limit of their own without it. */
  readonly groups?: { prefixOf(destination: string): string; readonly most: number }
  /** The lanes that this node can send to now. Default: all. */
  lanes?(): readonly string[]
  /** Called after an item was given up. */
  failed?(item: OutboxItem, error: string): Promise<void>
  /** Ends soon after `stop`. */
  send(item: OutboxItem, stop: AbortSignal): Promise<SendOutcome>
}

export type DeadItem = Awaited<ReturnType<typeof deadItems>>[number]

/**
 * Messages to send, as rows: added with the change that causes them, claimed before sending, settled after. Each
 * destination gets one at a time, so a slow or dead one does not delay others, and each lane has a limit.
 */
export type Outbox = {
  add(items: readonly NewOutboxItem[], guard?: Guard): Promise<void>
  /** The destinations that were notified about this subject. */
  told(
    sender: string,
    kind: SubjectKind,
    about: { id: string } | { sessionId: SessionId },
  ): Promise<(Destination & { subject: MessageSubject })[]>
  run(sender: Sender): AsyncDisposable
  /** Items were added elsewhere, or lanes have changed. */
  wake(sender: string): void
  /** A lane works again: what waits there after a failed attempt is tried now. A requested pause is kept. */
  hasten(sender: string, lane: string): Promise<void>
  dead(): Promise<DeadItem[]>
  /** Null if no such item is held. */
  retry(id: string): Promise<DeadItem | null>
}

const mostAttempts = 12
const firstMs = 5_000
const longestMs = 3_600_000
const usualPerLane = 8
const usualClaimMs = 20_000
const lookAgainMs = 30_000
const finishMs = 2_000
const hourMs = 3_600_000
const keptMs = 30 * 24 * hourMs
const mostDead = 1000

type Deps = { database: Database; clock: Clock; log: Logger; nodeId: string }

export function createOutbox(deps: Deps): Outbox {
  const { read, write } = deps.database
  const signals = new Map<string, WakeSignal>()
  const wake = (sender: string) => signals.get(sender)?.wake()
  return {
    async add(items, guard) {
      if (items.length === 0) return
      await write.transaction().execute(async (tx) => {
        await guard?.(tx)
        await addItems(tx, items)
      })
      for (const name of new Set(items.map(({ sender }) => sender))) wake(name)
    },
    wake,
    async hasten(sender, lane) {
      await hastenItems(write, sender, lane, iso(deps.clock.now()))
      wake(sender)
    },
    told: (sender, kind, about) => notifiedDestinations(read, sender, kind, about),
    run(sender) {
      if (signals.has(sender.name)) throw new Error(`two senders are called ${sender.name}`)
      const signal = createWakeSignal()
      signals.set(sender.name, signal)
      const running = runSender(deps, sender, signal)
      return {
        async [Symbol.asyncDispose]() {
          await running[Symbol.asyncDispose]()
          signals.delete(sender.name)
        },
      }
    },
    dead: () => deadItems(read, mostDead),
    async retry(id) {
      const item = await deadItem(read, id)
      if (!item || !(await reviveItem(write, id, iso(deps.clock.now())))) return null
      wake(item.sender)
      return item
    },
  }
}

function runSender({ database, clock, log, nodeId }: Deps, sender: Sender, signal: WakeSignal): AsyncDisposable {
  const { read, write } = database
  const { claimMs = usualClaimMs, mostPerLane = usualPerLane } = sender
  const stop = new AbortController()
  const halt = new AbortController()
  const flying = new Map<string, { lane: string; done: Promise<void> }>()
  let tidiedAt = 0
  let isFirst = true
  const now = () => iso(clock.now())

  const inLane = (lane: string) => [...flying.values()].filter((one) => one.lane === lane).length
  const fullLanes = () =>
    [...new Set([...flying.values()].map(({ lane }) => lane))].filter((lane) => inLane(lane) >= mostPerLane)

  const groupOf = (destination: string) => sender.groups?.prefixOf(destination) ?? destination
  const inGroup = (group: string) => [...flying.keys()].filter((one) => groupOf(one) === group).length
  const isFull = (group: string) => inGroup(group) >= (sender.groups?.most ?? Infinity)
  const fullGroups = () => [...new Set([...flying.keys()].map(groupOf))].filter(isFull)

  async function deliver(item: OutboxItem): Promise<void> {
    const outcome = await sender.send(item, halt.signal).catch((error: unknown): SendOutcome => {
      log.error({ sender: sender.name, item: item.id, error: String(error) }, 'a message could not be handled')
      return { kind: 'transient', error: String(error) }
    })
    // Stopped mid-attempt, so the outcome is unknown. The item stays claimed and is in doubt at the next start.
    if (halt.signal.aborted && (outcome.kind === 'transient' || outcome.kind === 'unsure')) return
    if ('error' in outcome) {
      const { destination, lane, attempt } = item
      log.warn(
        { sender: sender.name, destination, lane, attempt, kind: outcome.kind, error: outcome.error },
        'not sent',
      )
    }
    const settled = settledBy(outcome, item.attempt, clock.now())
    await settleItem(write, item, nodeId, settled, now())
    if (settled.status === 'failed') await sender.failed?.(item, settled.error)
  }

  async function startDue(): Promise<number> {
    const except = { destinations: [...flying.keys()], lanes: fullLanes(), prefixes: fullGroups() }
    const only = sender.lanes?.()
    let started = 0
    for (const item of await dueItems(read, sender, now(), except, only)) {
      if (stop.signal.aborted) break
      if (inLane(item.lane) >= mostPerLane || isFull(groupOf(item.destination))) continue
      if (item.cutOff) {
        await resolveDoubts(write, sender, { id: item.id, before: now() }, now())
        started += 1
        continue
      }
      const claim = { node: nodeId, now: now(), until: iso(clock.now() + claimMs) }
      if (!(await claimItem(write, item, claim))) continue
      started += 1
      const done = deliver(item)
        .catch((error: unknown) => log.error({ item: item.id, error: String(error) }, 'its outcome was not recorded'))
        .finally(() => {
          flying.delete(item.destination)
          signal.wake()
        })
      flying.set(item.destination, { lane: item.lane, done })
    }
    return started
  }

  async function tidy(): Promise<void> {
    if (clock.now() - tidiedAt < hourMs) return
    tidiedAt = clock.now()
    await forgetItems(write, sender.name, iso(clock.now() - keptMs))
  }

  async function loop(): Promise<void> {
    if (isFirst) await resolveDoubts(write, sender, { node: nodeId }, now())
    isFirst = false
    while (!stop.signal.aborted) {
      const known = signal.count()
      if ((await startDue()) > 0) continue
      await tidy()
      const next = await nextItemAt(read, sender.name, sender.lanes?.())
      // Items that are due but not started are waiting for a destination, a lane or another node.
      const wakeAt = next === null ? null : Math.max(Date.parse(next), clock.now() + 1000)
      using _timer = wakeAt === null ? null : clock.at(wakeAt, signal.wake)
      await signal.after(known, lookAgainMs, stop.signal)
    }
  }

  async function forever(): Promise<void> {
    for (let failures = 1; !stop.signal.aborted; failures += 1)
      await loop().catch(async (error: unknown) => {
        log.error({ sender: sender.name, error: String(error) }, 'sending stopped; starting again')
        await createWakeSignal().after(0, backoff(failures, 100, 5000), stop.signal)
      })
  }

  const done = forever()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
      // Gives running attempts a moment to finish, so that their outcome is known.
      const ended = () => Promise.all([...flying.values()].map((one) => one.done))
      await withTimeLimit(ended(), finishMs)
      halt.abort()
      await ended()
    },
  }
}

function settledBy(outcome: SendOutcome, attempt: number, now: number): Settlement {
  if (!('error' in outcome)) return { status: outcome.kind }
  const { kind, error } = outcome
  if (kind === 'permanent' || kind === 'gone') return { status: 'failed', errorClass: kind, error }
  if (attempt >= mostAttempts) return { status: 'failed', errorClass: kind, error: `${error} (tried ${attempt} times)` }
  const asked = kind === 'rate_limited' ? outcome.retryAfterMs : 0
  const afterMs = Math.min(longestMs, Math.max(backoff(attempt, firstMs, longestMs), asked))
  return { status: 'waiting', errorClass: kind, error, nextAt: iso(now + afterMs), inDoubt: kind === 'unsure' }
}
