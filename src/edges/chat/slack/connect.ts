import * as z from 'zod'
import { backoff } from '../../../lib/backoff.ts'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { Connection, Health, InstanceDeps } from '../adapter.ts'
import { AuthTest } from './check.ts'
import type { SocketFrame } from './frames.ts'
import { createSlackHistory } from './history.ts'
import type { Received } from '../received.ts'
import { receiveCommand, receiveEvent, receiveInteraction } from './receive.ts'
import { createSlackSender } from './send.ts'
import { connectSocket } from './socket.ts'
import { createWebApi, type WebApi } from './web-api.ts'

const UserInfo = z.looseObject({
  user: z.looseObject({
    name: z.string().optional(),
    real_name: z.string().optional(),
    profile: z.looseObject({ display_name: z.string().optional() }).optional(),
  }),
})
const ChannelInfo = z.looseObject({ channel: z.looseObject({ name: z.string().optional() }) })

/** Connects one workspace. Without an app-level token, events come by HTTP, and only calls are made from here. */
export function connectSlack(deps: InstanceDeps): Connection {
  const { credentials, endpoints, receiver, clock, log } = deps
  const stop = new AbortController()
  let health: Health = { state: 'connecting', since: clock.now(), error: null }
  let self: { userId: string; scopes: readonly string[] | null } | null = null
  let socket: AsyncDisposable | null = null
  /** Frames of one chat are saved in the order they came. */
  const lanes = createKeyedQueue()

  const setHealth = (state: Health['state'], error: string | null): void => {
    // Only a new connection, with new credentials, changes these.
    if (health.state === 'stopped' || (health.state === 'refused' && state !== 'stopped')) return
    if (health.state === state && health.error === error) return
    log.info({ state, error }, 'connection to Slack')
    health = { state, since: health.state === state ? health.since : clock.now(), error }
  }

  const bot = createWebApi({ api: endpoints.api, token: credentials['bot_token'] ?? '' })
  /** A token that is revoked shows at the next call, whatever it was. */
  const webApi: WebApi = {
    ...bot,
    async call(method, args, schema, signal) {
      const answer = await bot.call(method, args, schema, signal)
      if (answer.kind === 'refused') setHealth('refused', answer.error)
      return answer
    },
  }

  function receive(frame: SocketFrame): Received {
    const { type, payload, envelope_id: id = null } = frame
    if (type === 'events_api') return receiveEvent(payload, { userId: self?.userId ?? null })
    if (type === 'interactive') return receiveInteraction(payload, id, clock.now())
    if (type === 'slash_commands') return receiveCommand(payload, id, clock.now())
    return { kind: 'ignored', why: `a frame of the type ${type}` }
  }

  async function take(frame: SocketFrame): Promise<void> {
    const received = receive(frame)
    if (received.kind === 'malformed') log.warn({ why: received.why }, 'Slack sent an event in an unknown format')
    if (received.kind !== 'take') return
    const { event } = received
    await lanes.run(event.chat.id, () => receiver.take(event))
  }

  async function start(): Promise<void> {
    for (let failures = 1; !stop.signal.aborted; failures += 1) {
      const who = await webApi.call('auth.test', {}, AuthTest, stop.signal)
      if (who.kind === 'answered') {
        self = { userId: who.value.user_id, scopes: who.scopes }
        break
      }
      if (who.kind === 'refused' || stop.signal.aborted) return
      setHealth('connecting', who.error)
      const ms = who.kind === 'rate_limited' ? who.retryAfterMs : backoff(failures, 250, 30_000)
      await createWakeSignal().after(0, ms, stop.signal)
    }
    if (stop.signal.aborted) return
    const appToken = credentials['app_token'] ?? ''
    if (appToken === '') return setHealth('connected', null)
    const app = createWebApi({ api: endpoints.api, token: appToken })
    socket = connectSocket({ webApi: app, api: endpoints.api, clock, log, take, onHealth: setHealth })
  }

  const started = start().catch((error: unknown) => {
    log.error({ error: String(error) }, 'connecting to Slack failed')
    setHealth('reconnecting', String(error))
  })

  const history = createSlackHistory({
    webApi,
    clock,
    own: () => self?.userId ?? null,
    seesMetadata: () => self?.scopes?.includes('metadata.message:read') ?? true,
  })

  return {
    health: () => health,
    ...createSlackSender(webApi),
    ...history,
    async nameOfPerson(handle, signal) {
      const info = await webApi.call('users.info', new URLSearchParams({ user: handle }), UserInfo, signal)
      if (info.kind !== 'answered') return null
      const { name, real_name: realName, profile } = info.value.user
      return profile?.display_name || realName || name || null
    },
    async nameOfChat(chat, signal) {
      const info = await webApi.call('conversations.info', new URLSearchParams({ channel: chat }), ChannelInfo, signal)
      return info.kind === 'answered' ? (info.value.channel.name ?? null) : null
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await started
      await socket?.[Symbol.asyncDispose]()
      setHealth('stopped', null)
    },
  }
}
