import type { ChatPort } from '../../../app/chat/chat-port.ts'
import type { ChatCommands } from '../../../app/chat/commands/run-command.ts'
import type { Knocks } from '../../../app/chat/knocks.ts'
import { chatSender } from '../../../app/chat/posts.ts'
import type { TakeIncoming } from '../../../app/chat/take-incoming.ts'
import { isOf } from '../../../app/events.ts'
import type { Leases } from '../../../app/follow.ts'
import type { ChatPost } from '../../../domain/chat-post/records.ts'
import { createAnnouncer } from '../announce/announcer.ts'
import type { Health, IncomingMessage } from '../adapter.ts'
import { createChatPort } from './chat-port.ts'
import { openConnections, type Connected } from './connections.ts'
import { createEventHandler } from './handle-event.ts'
import { startInboxLoop } from './inbox-loop.ts'
import { laneOf, ofInstance, type HostDeps } from './instance-deps.ts'
import { readMissed } from './read-missed.ts'
import { createChatSender } from './sender.ts'
import { iso } from '../../../lib/clock.ts'

export type ChatsDeps = HostDeps & {
  leases: Leases
  knocks: Knocks
  take: TakeIncoming
  commands: ChatCommands
  publicUrl: string | null
  gaveUp(post: ChatPost, error: string): Promise<void>
}

export type Chats = AsyncDisposable & { readonly port: ChatPort }

/** Slack repeats an event for about five minutes; what came later is read from the history. */
const gapMs = 60_000

/** Everything that connects this node to chat platforms. */
export async function startChats(deps: ChatsDeps): Promise<Chats> {
  const { app, clock, log, knocks } = deps
  await using stack = new AsyncDisposableStack()
  await knocks.settleAnswered()

  const took = () => loop.wake()
  const connections = openConnections({
    ...deps,
    took,
    readMissed: (connected) => read(connected),
    opened: (connected) => announce(connected),
    changed: (connected, health) => changed(connected, health),
  })

  /** Events are announced by the node that is connected. */
  function announce(connected: Connected): AsyncDisposable {
    const announcer = createAnnouncer(deps, connected)
    const following = app.follow.run(announcer.follower)
    return {
      async [Symbol.asyncDispose]() {
        lostAt.delete(connected.instance.id)
        await following[Symbol.asyncDispose]()
        await announcer[Symbol.asyncDispose]()
      },
    }
  }

  const lostAt = new Map<string, number>()
  const reading = new AbortController()
  const readings = new Set<Promise<unknown>>()

  function read(connected: Connected): Promise<void> {
    const { instance, platform } = connected
    const take = async (received: readonly IncomingMessage[]) => {
      const rows = received.map((one) => {
        const event = ofInstance(platform, instance, one)
        return { instanceId: instance.id, lane: laneOf(platform, instance.id, event), event }
      })
      await app.chat.inbox.addAll(rows, iso(clock.now()))
      took()
    }
    const reader = readMissed({ app, clock, log, take }, connected, reading.signal)
      .then(() => {})
      .catch((error: unknown) => log.warn({ error: String(error) }, 'what was written meanwhile could not be read'))
      .finally(() => readings.delete(reader))
    readings.add(reader)
    return reader
  }

  function changed(connected: Connected, { state }: Health): void {
    loop.wake()
    const { id } = connected.instance
    if (state === 'connected')
      void app.outbox
        .hasten(chatSender, id)
        .catch((error: unknown) => log.warn({ error: String(error) }, 'could not send waiting messages at once'))
    else app.outbox.wake(chatSender)
    if (state === 'reconnecting' && !lostAt.has(id)) lostAt.set(id, clock.now())
    if (state !== 'connected') return
    const since = lostAt.get(id)
    lostAt.delete(id)
    // What was written before the first connection is read when it is made.
    if (since !== undefined && clock.now() - since >= gapMs) void read(connected)
  }

  const handle = createEventHandler({ ...deps, connections })
  const loop = startInboxLoop({
    ...deps,
    instances: () => connections.all().map(({ instance }) => instance.id),
    handle,
  })
  // Closed last to first: no new events, then what is being handled, then what is being sent.
  stack.use(app.outbox.run(createChatSender({ ...deps, connections })))
  stack.use(loop)
  stack.defer(async () => {
    reading.abort()
    await Promise.all(readings)
  })
  stack.use(connections)
  stack.use(
    app.tail.listen((events) => {
      if (events.some((event) => isOf(event, 'instance'))) connections.wake()
    }),
  )
  const whole = stack.move()
  return {
    port: createChatPort({ ...deps, took }),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  }
}
