import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { jsonOrNull, parseJson } from '../../../lib/parse-json.ts'
import { mostWebhookBytes } from '../adapter.ts'
import type { InstanceDeps, WebhookAnswer, WebhookRequest, WebhookRoute } from '../adapter.ts'
import type { Received } from '../received.ts'
import { receiveCommand, receiveEvent, receiveInteraction } from './receive.ts'

const longestAgoMs = 5 * 60_000

const answer = (status: number, body = ''): WebhookAnswer => ({ status, body, contentType: 'text/plain' })
const UrlVerification = z.object({ type: z.literal('url_verification'), challenge: z.string().max(1000) })

/** Whether Slack signed exactly these bytes, in the last five minutes. */
export function isSigned({ headers, body }: WebhookRequest, secret: string, now: number): boolean {
  const time = headers['x-slack-request-timestamp'] ?? ''
  const given = Buffer.from(headers['x-slack-signature'] ?? '')
  if (secret === '' || !/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > longestAgoMs) return false
  const hmac = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex')
  const wanted = Buffer.from(`v0=${hmac}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** Events, clicks, forms and commands share one address. Each is saved before it is answered. */
export const slackRoute: WebhookRoute = {
  path: 'events',
  async handle(request, deps) {
    const { credentials, clock, receiver, log } = deps
    if (request.method !== 'POST') return answer(405)
    if (request.body.length > mostWebhookBytes) return answer(413)
    if (!isSigned(request, credentials['signing_secret'] ?? '', clock.now())) return answer(401)
    const text = request.body.toString()
    const isForm = (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
    if (!isForm) {
      const verification = jsonOrNull(text, UrlVerification)
      if (verification) return answer(200, verification.challenge)
    }
    const received = isForm ? receiveForm(text, deps) : receiveJson(text)
    if (received.kind !== 'take') {
      if (received.kind === 'malformed') log.warn({ why: received.why }, 'Slack sent an event in an unknown format')
      return answer(200)
    }
    try {
      await receiver.take(received.event)
      return answer(200)
    } catch (error) {
      log.error({ key: received.event.key, error: String(error) }, 'not saved, so not acknowledged')
      return answer(503)
    }
  },
}

function receiveJson(text: string): Received {
  const payload = parseJson(text, z.unknown())
  return payload.ok ? receiveEvent(payload.value, { userId: null }) : { kind: 'malformed', why: payload.fault.message }
}

/** Interactions are JSON in a field; a command is the form itself. */
function receiveForm(text: string, { clock }: InstanceDeps): Received {
  const form = new URLSearchParams(text)
  const payload = form.get('payload')
  if (payload === null) return receiveCommand(Object.fromEntries(form), null, clock.now())
  const read = parseJson(payload, z.unknown())
  if (!read.ok) return { kind: 'malformed', why: read.fault.message }
  return receiveInteraction(read.value, null, clock.now())
}
