import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createPost } from './post.ts'
import { outcomeOf } from './sender.ts'

async function listen(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
const message = (endpoint: string) => ({ endpoint, headers: { TTL: 60 }, body: Buffer.from('x') })
const { signal } = new AbortController()

describe('a message that is sent', () => {
  it('does not reach this machine, by address or by name', async () => {
    let asked = 0
    await using server = await listen((_request, response) => {
      asked += 1
      response.end()
    })
    using post = createPost({ allowPrivate: false, timeoutMs: 5000 })
    for (const host of ['127.0.0.1', '[::1]', 'localhost'])
      await expect(post(message(`http://${host}:${server.port}/x`), signal)).rejects.toThrow('private network')
    expect(asked).toBe(0)
  })

  it('follows no redirect', async () => {
    const asked: string[] = []
    await using server = await listen((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    using post = createPost({ allowPrivate: true, timeoutMs: 5000 })
    expect(await post(message(`http://127.0.0.1:${server.port}/x`), signal)).toMatchObject({ status: 307 })
    expect(asked).toEqual(['/x'])
  })

  it('reads only the beginning of an endless reply', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(500)
      const more = () => {
        while (response.write('y'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    using post = createPost({ allowPrivate: true, timeoutMs: 5000 })
    const reply = await post(message(`http://127.0.0.1:${server.port}/x`), signal)
    expect(reply.status).toBe(500)
    expect(reply.body).toHaveLength(1000)
  })

  it('waits for a reply for a limited time, and says so', async () => {
    await using server = await listen(() => {})
    using post = createPost({ allowPrivate: true, timeoutMs: 100 })
    await expect(post(message(`http://127.0.0.1:${server.port}/x`), signal)).rejects.toThrow('no answer within 0.1 s')
  })
})

describe('the meaning of a reply', () => {
  const reply = (status: number, retryAfter: string | null = null) => ({ status, retryAfter, body: '' })
  const now = Date.parse('2030-01-01T00:00:00Z')

  it.each([
    [201, 'sent'],
    [200, 'sent'],
    [404, 'gone'],
    [410, 'gone'],
    [429, 'rate_limited'],
    [500, 'transient'],
    [503, 'transient'],
    [301, 'permanent'],
    [400, 'permanent'],
    [403, 'permanent'],
    [413, 'permanent'],
  ])('%i: %s', (status, kind) => {
    expect(outcomeOf(reply(status), now).kind).toBe(kind)
  })

  it('no answer is retried', () => {
    expect(outcomeOf(new Error('no route'), now)).toEqual({ kind: 'transient', error: 'no route' })
  })

  it('Retry-After is passed on, in seconds or as a date', () => {
    expect(outcomeOf(reply(429, '60'), now)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 60_000 })
    const date = 'Tue, 01 Jan 2030 00:02:00 GMT'
    expect(outcomeOf(reply(503, date), now)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 120_000 })
    expect(outcomeOf(reply(503, 'soon'), now)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 0 })
  })
})
