import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decrypt, newBrowserKeys, readVapid, type Vapid } from './push-crypto.ts'
import { until } from './until.ts'

export type PushPayload = {
  v: number
  type: string
  tag: string
  title: string
  body: string
  url: string
  askId?: string
  actions?: { action: string; title: string }[]
  silent: boolean
  badge: number
  at: string
}

export type Pushed = {
  payload: PushPayload
  vapid: Vapid
  ttl: number
  urgency: string
  topic: string
  bytes: number
}

/** How a service answers: with a status, or not at all. */
export type Manner = number | 'hang' | { status: number; headers?: Record<string, string>; body?: string }

export type PushBrowser = {
  readonly subscription: { endpoint: string; keys: { p256dh: string; auth: string }; name: string }
  /** What it was sent and its service accepted, in order. */
  readonly received: Pushed[]
  /** How many requests its service got. */
  tries(): number
  /** Sets its service's replies; 201 is usual. */
  answers(manner: Manner): void
  first(fits: (payload: PushPayload) => boolean, what?: string): Promise<Pushed>
}

export type PushService = AsyncDisposable & {
  readonly origin: string
  browser(name?: string): PushBrowser
  /** Ends the hanging requests. */
  hangUp(): void
}

type Held = PushBrowser & { take(request: IncomingMessage, response: ServerResponse): Promise<void> }

/** A push service on loopback, and browsers that are subscribed to it; it decrypts as they would. */
export async function openPushService(): Promise<PushService> {
  const browsers = new Map<string, Held>()
  const hung = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const browser = browsers.get(request.url ?? '')
    if (!browser) response.writeHead(404).end()
    else browser.take(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function browser(name = 'A browser'): PushBrowser {
    const path = `/push/${browsers.size + 1}`
    const keys = newBrowserKeys()
    const received: Pushed[] = []
    let tries = 0
    let manner: Manner = 201
    const made: Held = {
      subscription: { endpoint: `${origin}${path}`, keys: keys.public, name },
      received,
      tries: () => tries,
      answers(next) {
        manner = next
      },
      first: async (fits, what = `a message to ${name}`) =>
        until(() => received.find(({ payload }) => fits(payload)), { what }),
      async take(request, response) {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        tries += 1
        if (manner === 'hang') {
          hung.add(response)
          return
        }
        const { status, headers = {}, body = '' } = typeof manner === 'number' ? { status: manner } : manner
        if (status < 300) received.push(readMessage(request, Buffer.concat(chunks)))
        response.writeHead(status, headers).end(body)
      },
    }

    function readMessage({ method, headers }: IncomingMessage, body: Buffer): Pushed {
      if (method !== 'POST' || headers['content-encoding'] !== 'aes128gcm') throw new Error('not a push message')
      const text = decrypt(body, keys)
      return {
        payload: JSON.parse(text),
        vapid: readVapid(headers.authorization ?? ''),
        ttl: Number(headers['ttl']),
        urgency: String(headers['urgency']),
        topic: String(headers['topic']),
        bytes: Buffer.byteLength(text),
      }
    }

    browsers.set(path, made)
    return made
  }

  const hangUp = () => {
    for (const response of hung) response.destroy()
  }
  return {
    origin,
    browser,
    hangUp,
    async [Symbol.asyncDispose]() {
      hangUp()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
