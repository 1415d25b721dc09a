import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createPost } from './post.ts'
import { mostAttempts, verdictOf } from './verdict.ts'

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
const letter = (endpoint: string) => ({ endpoint, headers: { TTL: 60 }, body: Buffer.from('x') })
const { signal } = new AbortController()

describe('a message on its way', () => {
  it('reaches no place on this machine, by address or by name', async () => {
    let asked = 0
    await using server = await listen((_request, response) => {
      asked += 1
      response.end()
    })
    using post = createPost({ allowPrivate: false, timeoutMs: 5000 })
    for (const host of ['127.0.0.1', '[::1]', 'localhost'])
      await expect(post(letter(`http://${host}:${server.port}/x`), signal)).rejects.toThrow('private network')
    expect(asked).toBe(0)
  })

  it('follows no redirect', async () => {
    const asked: string[] = []
    await using server = await listen((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    using post = createPost({ allowPrivate: true, timeoutMs: 5000 })
    expect(await post(letter(`http://127.0.0.1:${server.port}/x`), signal)).toMatchObject({ status: 307 })
    expect(asked).toEqual(['/x'])
  })

  it('reads only the beginning of an answer that has no end', async () => {
    await using server = await listen((_request, response) => {
      response.writeHead(500)
      const more = () => {
        while (response.write('y'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    using post = createPost({ allowPrivate: true, timeoutMs: 5000 })
    const reply = await post(letter(`http://127.0.0.1:${server.port}/x`), signal)
    expect(reply.status).toBe(500)
    expect(reply.said).toHaveLength(1000)
  })

  it('waits for an answer only so long, and says so', async () => {
    await using server = await listen(() => {})
    using post = createPost({ allowPrivate: true, timeoutMs: 100 })
    await expect(post(letter(`http://127.0.0.1:${server.port}/x`), signal)).rejects.toThrow('no answer within 0.1 s')
  })
})

describe('what an answer means', () => {
  const reply = (status: number, retryAfter: string | null = null) => ({ status, retryAfter, said: '' })
  const now = Date.parse('2030-01-01T00:00:00Z')

  it.each([
    [201, 'taken'],
    [200, 'taken'],
    [404, 'gone'],
    [410, 'gone'],
    [429, 'later'],
    [500, 'later'],
    [503, 'later'],
    [301, 'refused'],
    [400, 'refused'],
    [403, 'refused'],
    [413, 'refused'],
  ])('%i: %s', (status, kind) => {
    expect(verdictOf(reply(status), 1, now).kind).toBe(kind)
  })

  it('pauses double, up to an hour, and have an end', () => {
    const after = (attempt: number) => {
      const verdict = verdictOf(new Error('no route'), attempt, now)
      return verdict.kind === 'later' ? verdict.afterMs : verdict.kind
    }
    expect([1, 2, 3].map(after)).toEqual([5000, 10_000, 20_000])
    expect(after(mostAttempts - 1)).toBe(3_600_000)
    expect(after(mostAttempts)).toBe('refused')
  })

  it('a pause that is asked for is kept, in seconds or as a date, but not for days', () => {
    expect(verdictOf(reply(429, '60'), 1, now)).toMatchObject({ afterMs: 60_000 })
    expect(verdictOf(reply(503, 'Tue, 01 Jan 2030 00:02:00 GMT'), 1, now)).toMatchObject({ afterMs: 120_000 })
    expect(verdictOf(reply(503, '999999'), 1, now)).toMatchObject({ afterMs: 3_600_000 })
    expect(verdictOf(reply(503, 'soon'), 1, now)).toMatchObject({ afterMs: 5000 })
  })
})
