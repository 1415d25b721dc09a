import { describe, expect, it } from 'vitest'
import { mostWebhookBytes } from '../../../src/app/chat/chat-port.ts'
import '../../support/chats/loopback-guard.ts'
import { openWorld } from '../../world.ts'
import { fakePlatform, openRoutes } from './chats-harness.ts'

const id = '0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3'

async function open(stack: AsyncDisposableStack) {
  const world = stack.use(await openWorld('sqlite'))
  const { port, seen } = fakePlatform()
  return { world, seen, ...openRoutes(world, port) }
}

describe('the entrance of platforms', () => {
  it('passes on the exact bytes and headers without a login, and answers as the platform’s part says', async () => {
    await using stack = new AsyncDisposableStack()
    const { seen, send } = await open(stack)
    const raw = Uint8Array.from([0xff, 0x00, 0x7b, 0xc3])
    const answer = await send('POST', `/chat/${id}/events`, { raw, headers: { 'X-Slack-Signature': 'v0=1' } })
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([202, 'taken', 'text/plain'])
    const [taken] = seen.webhooks
    expect([taken?.id, taken?.path, taken?.headers['x-slack-signature']]).toEqual([id, 'events', 'v0=1'])
    expect([...(taken?.body ?? [])]).toEqual([...raw])
  })

  it('lets any host and origin in here, and nowhere else', async () => {
    await using stack = new AsyncDisposableStack()
    const { send } = await open(stack)
    const headers = { host: 'signalbox.example.org', origin: 'https://elsewhere.example' }
    expect((await send('POST', `/chat/${id}/events`, { raw: new Uint8Array(), headers })).status).toBe(202)
    for (const path of ['/api/chats', '/api/chat-instances', '/api/agent-groups'])
      expect([path, (await send('GET', path, { headers })).status]).toEqual([path, 403])
  })

  it('is a 404 for other paths, methods and instances, and for agents with their own network', async () => {
    await using stack = new AsyncDisposableStack()
    const { seen, send } = await open(stack)
    const post = (path: string, listener: 'tcp' | 'gate' = 'tcp') => send('POST', path, { body: {} }, listener)
    expect((await post(`/chat/${id}/other`)).status).toBe(404)
    const before = seen.webhooks.length
    for (const path of [`/chat/x/events`, `/chat/${id}/`, `/chat/${id}`, `/chat/${id}/a%20b`])
      expect([path, (await post(path)).status]).toEqual([path, 404])
    expect((await send('GET', `/chat/${id}/events`)).status).toBe(404)
    expect((await post(`/chat/${id}/events`, 'gate')).status).toBe(404)
    expect(seen.webhooks.length).toBe(before)
  })

  it('refuses more bytes than a platform sends', async () => {
    await using stack = new AsyncDisposableStack()
    const { seen, send } = await open(stack)
    const large = await send('POST', `/chat/${id}/events`, { raw: new Uint8Array(mostWebhookBytes + 1) })
    expect([large.status, seen.webhooks.length]).toEqual([413, 0])
    expect((await send('POST', `/chat/${id}/events`, { raw: new Uint8Array(mostWebhookBytes) })).status).toBe(202)
  })

  it('counts requests by address', async () => {
    await using stack = new AsyncDisposableStack()
    const { world, seen, send } = await open(stack)
    const from = async (address: string) =>
      (await send('POST', `/chat/${id}/events`, { body: {}, headers: { 'x-forwarded-for': address } })).status
    for (let n = 0; n < 1200; n += 1) await from('203.0.113.7')
    expect(seen.webhooks.length).toBe(1200)
    expect([await from('203.0.113.7'), await from('203.0.113.8')]).toEqual([429, 202])
    world.clock.advance(60_000)
    expect(await from('203.0.113.7')).toBe(202)
  })
})
