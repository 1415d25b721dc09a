import { mostWebhookBytes, type ChatPort } from '../../app/chat/chat-port.ts'
import { ChatInstanceId } from '../../domain/chat/id.ts'
import type { Clock } from '../../lib/clock.ts'
import { readBytes } from '../../lib/http-body.ts'
import { newId } from '../../lib/id.ts'
import { createRateLimit } from '../../lib/rate-limit.ts'
import { fail, type Failed } from '../../lib/result.ts'
import type { HttpContext } from './request.ts'
import { failed } from './respond.ts'
import type { RouteDeps, Web } from './route.ts'

const route = '/chat/{instanceId}/{path}'

/** Twice what a busy workspace sends from one address. */
const mostPerMinute = 1200

/**
 * The entrance of chat platforms: no login, any host name. The platform's signature is checked behind it, over the
 * exact bytes. A cookie or token means nothing here.
 */
export function mountChatWebhooks(web: Web, deps: RouteDeps, chats: ChatPort | null, clock: Clock): void {
  const limit = createRateLimit({ clock, most: mostPerMinute, perMs: 60_000 })

  async function answer(context: HttpContext, requestId: string): Promise<Response> {
    const { req, env } = context
    const wait = env.listener === 'socket' ? null : limit.take(deps.attempts.addressOf(context))
    if (wait !== null) return failed(tooMany(wait).fault, requestId)
    const id = ChatInstanceId.safeParse(req.param('id'))
    const path = req.param('path') ?? ''
    if (!chats || !id.success || !/^[\w.-]{1,100}$/.test(path)) return failed(nobody(req.path).fault, requestId)
    const body = await readBytes(req.raw, mostWebhookBytes)
    if (!body.ok) return failed(body.fault, requestId)
    const given = await chats.webhook(id.data, path, {
      method: req.method,
      headers: Object.fromEntries(req.raw.headers),
      query: new URL(req.url).search.slice(1),
      body: Buffer.from(body.value),
    })
    if (given === null) return failed(nobody(req.path).fault, requestId)
    const headers = { 'content-type': given.contentType, 'cache-control': 'no-store', 'x-request-id': requestId }
    return new Response(given.body, { status: given.status, headers })
  }

  web.post('/chat/:id/:path', async (context) => {
    const started = performance.now()
    const requestId = newId<string>()
    const response = await deps.inFlight.run(requestId, () => answer(context, requestId))
    deps.observe(route, 'POST', response.status, (performance.now() - started) / 1000)
    return response
  })
}

const nobody = (path: string): Failed =>
  fail({ kind: 'not_found', code: 'no_such_address', message: `Not found: ${path.slice(0, 100)}` })

const tooMany = (left: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_requests',
    message: 'Too many requests from this address.',
    hint: `Try again in ${left} seconds.`,
    details: { retryAfter: left },
  })
