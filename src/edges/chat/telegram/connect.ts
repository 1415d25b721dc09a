import * as z from 'zod'
import { backoff } from '../../../lib/backoff.ts'
import type { Json } from '../../../lib/json.ts'
import type { Connection, Failure, Health, InstanceDeps } from '../adapter.ts'
import { waitUntil } from '../wait-until.ts'
import { createBotApi, type BotApi } from './bot-api.ts'
import { createFind } from './find.ts'
import { allowedUpdates, Me } from './frames.ts'
import { connectPolling } from './poll.ts'
import { receiveUpdate } from './receive.ts'
import { createTelegramSender } from './send.ts'
import { webhookAddress } from './webhook.ts'

/** Connects one bot. With a webhook secret, updates come by HTTP, and only calls are made from here. */
export function connectTelegram(deps: InstanceDeps & { readonly cursor: Json | null }): Connection {
  const { credentials, endpoints, receiver, clock, log, cursor } = deps
  const stop = new AbortController()
  let health: Health = { state: 'connecting', since: clock.now(), error: null }
  let polling: AsyncDisposable | null = null
  const heard = Promise.withResolvers<void>()

  const setHealth = (state: Health['state'], error: string | null): void => {
    // Only a new connection, with new credentials, changes these.
    if (health.state === 'stopped' || (health.state === 'refused' && state !== 'stopped')) return
    if (health.state === state && health.error === error) return
    log.info({ state, error }, 'connection to Telegram')
    health = { state, since: health.state === state ? health.since : clock.now(), error }
  }

  const bot = createBotApi({ api: endpoints.api, token: credentials['bot_token'] ?? '', clock })
  /** A token that is revoked shows at the next call, whatever it was. */
  const botApi: BotApi = {
    ...bot,
    async call(method, args, schema, signal, mostMs) {
      const answer = await bot.call(method, args, schema, signal, mostMs)
      if (answer.kind === 'refused') setHealth('refused', answer.error)
      return answer
    },
  }

  /** Tries until it is done. Null if we were refused or stopped. */
  async function persist<T>(call: () => Promise<{ kind: 'answered'; value: T } | Failure>): Promise<T | null> {
    for (let failures = 1; !stop.signal.aborted; failures += 1) {
      const answer = await call()
      if (answer.kind === 'answered') return answer.value
      if (answer.kind === 'refused' || stop.signal.aborted) return null
      setHealth('connecting', answer.error)
      const ms = answer.kind === 'rate_limited' ? answer.retryAfterMs : backoff(failures, 250, 30_000)
      await waitUntil(clock, clock.now() + ms, stop.signal)
    }
    return null
  }

  async function start(): Promise<void> {
    const self = await persist(() => botApi.call('getMe', {}, Me, stop.signal))
    if (!self || stop.signal.aborted) return
    if (credentials['webhook_secret']) return startWebhook(credentials['webhook_secret'])
    const receive = (update: unknown) => receiveUpdate(update, self, clock.now())
    polling = connectPolling({
      botApi,
      botId: self.id,
      cursor,
      receiver,
      clock,
      log,
      receive,
      onHealth: setHealth,
      onHeard: heard.resolve,
    })
  }

  /** Without a public address somebody else has told Telegram where to send updates. */
  async function startWebhook(secret: string): Promise<void> {
    const url = webhookAddress(deps)
    const args = {
      url,
      secret_token: secret,
      allowed_updates: allowedUpdates,
      // No order is documented for several connections.
      max_connections: 1,
      drop_pending_updates: false,
    }
    if (url !== null && (await persist(() => botApi.call('setWebhook', args, z.boolean(), stop.signal))) === null)
      return
    heard.resolve()
    setHealth('connected', null)
  }

  const started = start().catch((error: unknown) => {
    log.error({ error: String(error) }, 'connecting to Telegram failed')
    setHealth('reconnecting', 'Connecting to Telegram failed. The reason is in the log.')
  })

  return {
    health: () => health,
    ...createTelegramSender(botApi),
    find: createFind({ botApi, clock, heard: () => heard.promise }),
    // Bots have no history. Telegram itself keeps what we missed for a day.
    missed: async () => ({ kind: 'read', events: [], more: false }),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await started
      await polling?.[Symbol.asyncDispose]()
      setHealth('stopped', null)
    },
  }
}
