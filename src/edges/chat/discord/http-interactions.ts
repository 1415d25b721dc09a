import { createPublicKey, verify } from 'node:crypto'
import * as z from 'zod'
import { parseJson } from '../../../lib/parse-json.ts'
import { mostWebhookBytes } from '../adapter.ts'
import type { WebhookAnswer, WebhookRequest, WebhookRoute } from '../adapter.ts'
import { placeOf } from './channels.ts'
import { AnyInteraction, interactionTypes } from './frames.ts'
import { acknowledgement, responseTypes } from './interactions.ts'
import { receiveInteraction } from './receive.ts'

const longestAgoMs = 5 * 60_000

const answer = (status: number, body: object | null = null): WebhookAnswer => ({
  status,
  body: body === null ? '' : JSON.stringify(body),
  contentType: body === null ? 'text/plain' : 'application/json',
})

/** Whether Discord signed exactly these bytes, in the last five minutes. */
function isSigned({ headers, body }: WebhookRequest, publicKey: string, now: number): boolean {
  const time = headers['x-signature-timestamp'] ?? ''
  const signature = headers['x-signature-ed25519'] ?? ''
  if (!/^[0-9a-f]{64}$/i.test(publicKey) || !/^[0-9a-f]{128}$/i.test(signature)) return false
  if (!/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > longestAgoMs) return false
  const x = Buffer.from(publicKey, 'hex').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.concat([Buffer.from(time), body]), key, Buffer.from(signature, 'hex'))
}

/**
 * Clicks, commands and forms by HTTP, if the application has an Interactions Endpoint URL. Each is saved before it is
 * answered. Messages always come by the gateway.
 */
export const discordRoute: WebhookRoute = {
  path: 'interactions',
  async handle(request, { credentials, clock, receiver, log }) {
    if (request.method !== 'POST') return answer(405)
    if (request.body.length > mostWebhookBytes) return answer(413)
    // Discord sends false signatures from time to time, and removes an address that accepts them.
    if (!isSigned(request, credentials['public_key'] ?? '', clock.now())) return answer(401)
    const payload = parseJson(request.body.toString(), z.unknown())
    const type = payload.ok ? AnyInteraction.safeParse(payload.value).data?.type : undefined
    if (type === interactionTypes.ping) return answer(200, { type: responseTypes.pong })
    if (type === interactionTypes.autocomplete)
      return answer(200, { type: responseTypes.choices, data: { choices: [] } })
    const received = receiveInteraction(payload.ok ? payload.value : null, placeOf)
    if (received.kind !== 'take') {
      if (received.kind === 'malformed') log.warn({ why: received.why }, 'Discord sent an event in an unknown format')
      return answer(400)
    }
    try {
      await receiver.take(received.event)
      return answer(200, acknowledgement(received.event.kind === 'command'))
    } catch (error) {
      log.error({ key: received.event.key, error: String(error) }, 'not saved, so not acknowledged')
      return answer(503)
    }
  },
}
