import { backoff } from '../../../lib/backoff.ts'
import type { Json } from '../../../lib/json.ts'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { Connection, Health, InstanceDeps } from '../adapter.ts'
import { createChannels } from './channels.ts'
import { Application, appRequest, Self, whoRequest } from './check.ts'
import { registerCommand } from './commands.ts'
import { Channel, GatewayCursor, MessageEvent, User } from './frames.ts'
import { connectGateway } from './gateway.ts'
import { createDiscordHistory } from './history.ts'
import { createInteractions } from './interactions.ts'
import {
  ignored,
  malformedBy,
  notForUs,
  readReply,
  receiveInteraction,
  receiveMessage,
  type Received,
} from './receive.ts'
import { createRest, type Rest } from './rest.ts'
import { createDiscordSender } from './send.ts'

/** Connects one bot. Messages, clicks and commands come by the gateway; with a public key, the latter may come by HTTP. */
export function connectDiscord(deps: InstanceDeps & { readonly cursor: Json | null }): Connection {
  const { credentials, endpoints, receiver, clock, log } = deps
  const token = credentials['bot_token'] ?? ''
  const stop = new AbortController()
  let health: Health = { state: 'connecting', since: clock.now(), error: null }
  let self: { userId: string; appId: string } | null = null
  let gateway: AsyncDisposable | null = null
  let registered: Promise<void> = Promise.resolve()

  const setHealth = (state: Health['state'], error: string | null): void => {
    // Only a new connection, with new credentials, changes these.
    if (health.state === 'stopped' || (health.state === 'refused' && state !== 'stopped')) return
    if (health.state === state && health.error === error) return
    log.info({ state, error }, 'connection to Discord')
    health = { state, since: health.state === state ? health.since : clock.now(), error }
  }

  const plain = createRest({ api: endpoints.api, token, clock })
  /** A token that was reset shows at the next call, whatever it was. */
  const rest: Rest = {
    ...plain,
    async call(request, schema, signal) {
      const answer = await plain.call(request, schema, signal)
      if (answer.kind === 'refused' && !request.anonymous) setHealth('refused', answer.error)
      return answer
    },
  }
  const own = (): string | null => self?.userId ?? null
  const channels = createChannels(rest, stop.signal)
  const interactions = createInteractions({ rest, clock, log })
  const { hear, ...history } = createDiscordHistory({ rest, own, channelName: channels.name })

  async function receive(type: string, data: unknown): Promise<Received> {
    channels.hear(type, data)
    if (type === 'INTERACTION_CREATE') return receiveInteraction(data, channels.ofInteraction)
    // GUILD_CREATE and GUILD_DELETE are about whole servers, not chats, and come at every start, so nobody joins or leaves.
    if (type !== 'MESSAGE_CREATE') return ignored(`an event of the type ${type}`)
    const message = MessageEvent.safeParse(data)
    if (!message.success) return malformedBy(message.error)
    hear(message.data)
    const why = notForUs(message.data, own())
    if (why !== null) return ignored(why)
    const { channel_id: channel, guild_id: guild, channel_type: channelType } = message.data
    const place = await channels.ofMessage(channel, !guild, channelType ?? null)
    return receiveMessage(message.data, place, { own: own(), channelName: channels.name })
  }

  async function take(type: string, data: unknown, cursor: GatewayCursor): Promise<boolean> {
    const receivedAt = clock.now()
    const received = await receive(type, data)
    if (received.kind === 'malformed') log.warn({ why: received.why }, 'Discord sent an event in an unknown format')
    if (received.kind !== 'take') return false
    const { event } = received
    await receiver.take(event, cursor)
    const reply = 'reply' in event ? readReply(event.reply) : null
    if (reply) interactions.acknowledgeSoon(reply, receivedAt)
    return true
  }

  /** Until there is an answer. Null if the token is refused, or we stop. */
  async function askUntilAnswered<T>(ask: () => ReturnType<typeof rest.call<T>>): Promise<T | null> {
    for (let failures = 1; !stop.signal.aborted; failures += 1) {
      const answer = await ask()
      if (answer.kind === 'answered') return answer.value
      if (answer.kind === 'refused' || stop.signal.aborted) return null
      setHealth('connecting', answer.error)
      const ms = answer.kind === 'rate_limited' ? answer.retryAfterMs : backoff(failures, 250, 30_000)
      await createWakeSignal().after(0, ms, stop.signal)
    }
    return null
  }

  async function start(): Promise<void> {
    const who = await askUntilAnswered(() => rest.call(whoRequest, Self, stop.signal))
    const app = who && (await askUntilAnswered(() => rest.call(appRequest, Application, stop.signal)))
    if (!who || !app || stop.signal.aborted) return
    self = { userId: who.id, appId: app.id }
    registered = registerCommand(rest, app.id, log, stop.signal)
    gateway = connectGateway({
      rest,
      api: endpoints.api,
      token,
      clock,
      log,
      cursor: GatewayCursor.safeParse(deps.cursor).data ?? null,
      take,
      mark: async (cursor) => receiver.mark?.(cursor),
      onHealth: setHealth,
    })
  }

  const started = start().catch((error: unknown) => {
    log.error({ error: String(error) }, 'connecting to Discord failed')
    setHealth('reconnecting', String(error))
  })

  return {
    health: () => health,
    ...createDiscordSender({ rest, interactions, appId: () => self?.appId ?? null }),
    ...history,
    async nameOfPerson(handle, signal) {
      const path = `users/${encodeURIComponent(handle)}`
      const info = await rest.call({ what: 'reading a person', method: 'GET', path }, User, signal)
      return info.kind === 'answered' ? info.value.global_name || info.value.username || null : null
    },
    async nameOfChat(chat, signal) {
      const known = channels.name(chat)
      if (known !== null) return known
      const path = `channels/${encodeURIComponent(chat)}`
      const info = await rest.call({ what: 'reading a channel', method: 'GET', path }, Channel, signal)
      return info.kind === 'answered' ? (info.value.name ?? null) : null
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await started
      await gateway?.[Symbol.asyncDispose]()
      await registered
      await interactions.flush()
      setHealth('stopped', null)
    },
  }
}
