import * as z from 'zod'
import { parseJson } from '../../../lib/parse-json.ts'
import { isSecretOf, sha256 } from '../../../lib/secret.ts'
import { mostWebhookBytes, type InstanceDeps, type WebhookAnswer, type WebhookRoute } from '../adapter.ts'
import { never } from '../http-call.ts'
import { createBotApi } from './bot-api.ts'
import { Me } from './frames.ts'
import { receiveUpdate } from './receive.ts'

const path = 'updates'
/** Our name changes rarely; a click or message must not wait for it each time. */
const nameKeptMs = 10 * 60_000
const mostNames = 1000

/** Where Telegram sends the updates of this instance; null if nobody said how we are reached. */
export function webhookAddress({
  credentials,
  instance,
}: Pick<InstanceDeps, 'credentials' | 'instance'>): string | null {
  const base = credentials['webhook_url'] ?? ''
  return base === '' ? null : `${base.replace(/(?<!\/)\/+$/, '')}/chat/${instance.id}/${path}`
}

const answer = (status: number): WebhookAnswer => ({ status, body: '', contentType: 'text/plain' })

/** Updates by HTTP. Each is saved before it is answered. */
function createTelegramRoute(): WebhookRoute {
  /** The bot's own account for each token and API address. Any node may serve a webhook, also one that is not connected. */
  const names = new Map<string, { self: Me; at: number }>()

  async function selfOf({ credentials, endpoints: { api }, clock }: InstanceDeps): Promise<Me | null> {
    const token = credentials['bot_token'] ?? ''
    const key = sha256(`${api} ${token}`)
    const known = names.get(key)
    if (known && Math.abs(clock.now() - known.at) < nameKeptMs) return known.self
    const asked = await createBotApi({ api, token, clock }).call('getMe', {}, Me, never)
    if (asked.kind !== 'answered') return null
    if (names.size >= mostNames) names.clear()
    names.set(key, { self: asked.value, at: clock.now() })
    return asked.value
  }

  return {
    path,
    async handle({ method, headers, body }, deps) {
      const { credentials, clock, receiver, log } = deps
      const secret = credentials['webhook_secret'] ?? ''
      if (method !== 'POST') return answer(405)
      if (body.length > mostWebhookBytes) return answer(413)
      const given = headers['x-telegram-bot-api-secret-token'] ?? ''
      if (secret === '' || !isSecretOf(sha256(secret), given)) return answer(401)
      const payload = parseJson(body.toString(), z.unknown())
      const self = await selfOf(deps)
      // Without our name nobody knows whether we are mentioned. Telegram sends it again.
      if (!self) return answer(503)
      const received = payload.ok
        ? receiveUpdate(payload.value, self, clock.now())
        : ({ kind: 'malformed', why: payload.fault.message } as const)
      if (received.kind === 'malformed') log.warn({ why: received.why }, 'Telegram sent an update in an unknown format')
      if (received.kind !== 'take') return answer(200)
      try {
        await receiver.take(received.event)
        return answer(200)
      } catch (error) {
        log.error({ key: received.event.key, error: String(error) }, 'not saved, so not acknowledged')
        return answer(503)
      }
    },
  }
}

export const telegramRoute = createTelegramRoute()
