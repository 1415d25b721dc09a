import type { Lease, Leases } from '../../../app/follow.ts'
import type { ChatInstance, ChatInstanceId } from '../../../domain/chat-instance/schema.ts'
import { iso } from '../../../lib/clock.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { Connection, Health, Platform } from '../adapter.ts'
import { instanceDeps, type HostDeps } from './instance-deps.ts'

/** An instance that this node is connected to. */
export type Connected = {
  readonly instance: ChatInstance
  readonly platform: Platform
  readonly connection: Connection
}

export type Connections = AsyncDisposable & {
  get(id: ChatInstanceId): Connected | undefined
  all(): readonly Connected[]
  /** Looks again at once, after instances were changed. */
  wake(): void
}

type Deps = HostDeps & {
  leases: Leases
  /** An event was stored. */
  took(): void
  /** Reads what people wrote while nobody was connected. */
  readMissed(connected: Connected): Promise<void>
  /** A connection was made: what goes along with it ends before it is closed. */
  opened(connected: Connected): AsyncDisposable
  /** The health of a connection changed. */
  changed(connected: Connected, health: Health): void
}

type Held = Connected & { lease: Lease; follower: AsyncDisposable; shown: string }

const lookMs = 1000
/** New messages wait so long for older ones. Slack repeats what was not acknowledged, the last time after five minutes. */
const readMs = 30_000
const whileConnectingMs = 100

/** Connects the instances that should run. One node connects each of them: the one that holds its lease. */
export function openConnections(deps: Deps): Connections {
  const { app, leases, clock, log, nodeId } = deps
  const held = new Map<ChatInstanceId, Held>()
  const refused = new Map<ChatInstanceId, string>()
  const signal = createWakeSignal()
  const stop = new AbortController()

  async function note(id: ChatInstanceId, { state, error }: Pick<Health, 'state' | 'error'>): Promise<void> {
    const at = iso(clock.now())
    await app.chat.instances.setState(id, { state, error, nodeId: state === 'stopped' ? null : nodeId }, at)
  }

  async function open(instance: ChatInstance): Promise<void> {
    // What could not be opened is tried again when it was changed.
    if (refused.get(instance.id) === instance.updatedAt) return
    // Not the name of the announcer, which has a lease of its own.
    const lease = await leases.acquire(`chat-connection:${instance.id}`)
    if (!lease) return
    await using undo = new AsyncDisposableStack()
    undo.use(lease)
    const platform = await deps.platforms.of(instance)
    // What was written before is stored before what is written now: platforms repeat what they could not deliver later.
    const gate = Promise.withResolvers<void>()
    const made =
      platform &&
      (await instanceDeps(deps, { instance, platform }, deps.took, { guard: lease.guard, gate: gate.promise }))
    if (!platform || !made?.ok)
      return await fail(
        instance,
        made && !made.ok ? made.fault.message : `This server has no adapter for ${instance.platform}.`,
      )
    const connected = { instance, platform, connection: platform.connect(made.value) }
    void withTimeLimit(deps.readMissed(connected), readMs).finally(gate.resolve)
    held.set(instance.id, { ...connected, lease, follower: deps.opened(connected), shown: '' })
    undo.move()
  }

  async function fail(instance: ChatInstance, error: string): Promise<void> {
    log.warn({ instance: instance.name, error }, 'not connected')
    refused.set(instance.id, instance.updatedAt)
    await note(instance.id, { state: 'refused', error })
  }

  async function close(one: Held, isStopping: boolean): Promise<void> {
    held.delete(one.instance.id)
    await one.follower[Symbol.asyncDispose]()
    await one.connection[Symbol.asyncDispose]()
    if (!one.lease.lost.aborted && !isStopping) await note(one.instance.id, { state: 'stopped', error: null })
    await one.lease[Symbol.asyncDispose]()
  }

  async function show(one: Held): Promise<void> {
    const health = one.connection.health()
    const shown = `${health.state} ${health.error ?? ''}`
    if (shown === one.shown) return
    one.shown = shown
    await note(one.instance.id, health)
    deps.changed(one, health)
  }

  async function tend(): Promise<void> {
    const wanted = new Map(
      (await app.chat.instances.list()).filter((one) => one.wanted === 'running').map((one) => [one.id, one]),
    )
    for (const one of held.values()) {
      const still = wanted.get(one.instance.id)
      if (!still || still.updatedAt !== one.instance.updatedAt || one.lease.lost.aborted) await close(one, false)
      else await show(one)
    }
    for (const instance of wanted.values())
      if (!held.has(instance.id))
        // One that can't be loaded stops no other.
        await open(instance).catch((error: unknown) => fail(instance, String(error)))
  }

  const isSettled = () => [...held.values()].every(({ connection }) => connection.health().state === 'connected')

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      const known = signal.count()
      await tend().catch((error: unknown) =>
        log.error({ error: String(error) }, 'the connections to chats could not be checked'),
      )
      await signal.after(known, isSettled() ? lookMs : whileConnectingMs, stop.signal)
    }
  }

  const done = loop()
  return {
    get: (id) => held.get(id),
    all: () => [...held.values()],
    wake: signal.wake,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
      await Promise.all([...held.values()].map((one) => close(one, true)))
    },
  }
}
