import { rm } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { createServer, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import { openPushService, type PushService } from '../support/push-service.ts'
import { freshHome, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Login } from './people.ts'
import { openAsk, startSession } from './work.ts'

type Reply = { status: number; headers: IncomingMessage['headers']; text: string }

/** A TLS proxy as in docs/phone.md: passes on Host and the client's address, and every byte at once. */
async function openProxy(folder: string) {
  const { key, cert: ca } = makeCertificate(folder, 'localhost')
  let target = ''
  const server = createServer({ key, cert: ca }, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const onward = httpRequest(`${target}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, 'localhost', resolve)
  })
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    ca,
    leadsTo(address: string) {
      target = address
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

describe('a phone behind a TLS proxy', () => {
  let folder: string
  let proxy: Awaited<ReturnType<typeof openProxy>>
  let service: PushService
  let server: Server
  beforeAll(async () => {
    folder = await freshHome()
    proxy = await openProxy(folder)
    service = await openPushService()
    const http = `[http]\npublic_url = "${proxy.origin}"\ntrusted_proxies = ["loopback"]\n`
    server = await startServer({ config: `${http}[push]\nallow_private_endpoints = true\n` })
    proxy.leadsTo(await portOf(server))
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
    await proxy?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const call = (method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = httpsRequest(`${proxy.origin}${path}`, { method, headers, ca: proxy.ca, agent: false }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      })
      sent.on('error', reject)
      sent.end(body)
    })

  /** What a phone's camera and browser do with the code. */
  async function signIn(): Promise<Login> {
    // This test's proxy is on this machine, where no phone can reach it.
    const { url } = JSON.parse((await server.cli('pair', '--anyway', '--json')).stdout)
    expect(url.startsWith(`${proxy.origin}/login?code=`)).toBe(true)
    const body = JSON.stringify({ code: new URL(url).searchParams.get('code') ?? '' })
    const headers = { 'content-type': 'application/json', origin: proxy.origin }
    const reply = await call('POST', '/login', headers, body)
    const [cookie = ''] = reply.headers['set-cookie'] ?? []
    expect(reply.status).toBe(200)
    expect(cookie).toContain('Secure')
    return { cookie: cookie.split(';')[0] ?? '', 'x-signalbox-key': JSON.parse(reply.text).key }
  }

  it('B5 signs in, gets the worker and the page, subscribes, is notified of an ask and answers it', async () => {
    const login = await signIn()
    const worker = await call('GET', '/service-worker.js')
    expect(worker.headers['content-type']).toContain('javascript')
    expect((await call('GET', '/', { cookie: login.cookie, accept: 'text/html' })).text).toContain('id="root"')
    const browser = service.browser('Phone')
    const own = { ...login, origin: proxy.origin, 'content-type': 'application/json' }
    const added = await call('POST', '/api/push/devices', own, JSON.stringify(browser.subscription))
    expect(added.status).toBe(201)
    const ask = await openAsk(server.api(), await startSession(server.api()))
    const { payload, vapid } = await browser.first(({ askId }) => askId === ask.id)
    expect(vapid.subject).toBe(proxy.origin)
    const answered = await call(
      'POST',
      `/api/asks/${payload.askId}/answer`,
      own,
      JSON.stringify({ outcome: 'approve' }),
    )
    expect(JSON.parse(answered.text)).toMatchObject({ status: 'answered' })
    const elsewhere = { ...own, origin: 'https://evil.example.org' }
    expect((await call('POST', '/api/push/devices', elsewhere, '{}')).status).toBe(403)
  })

  it('B5 hears events live', async () => {
    const login = await signIn()
    let heard = ''
    const stream = httpsRequest(`${proxy.origin}/api/events`, { headers: login, ca: proxy.ca, agent: false })
    stream.on('response', (answer) => answer.on('data', (chunk: Buffer) => (heard += chunk.toString())))
    stream.on('error', () => {})
    stream.end()
    await until(() => heard.includes('retry:'))
    const session = await startSession(server.api())
    expect(await until(() => heard.includes(session.id))).toBe(true)
    stream.destroy()
  })
})

/** Its listening address, which is not the public one; the cookie name contains the port. */
async function portOf(server: Server): Promise<string> {
  const { text } = await server.api().send('GET', '/api/openapi.json')
  const port = /signalbox_login_(\d+)/.exec(text)?.[1]
  if (port === undefined) throw new Error('no listening address in its output')
  return `http://127.0.0.1:${port}`
}
