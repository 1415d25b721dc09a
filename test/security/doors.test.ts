import { request, type ClientRequest } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../conformance/people.ts'
import { newToken, roomy, startSession } from '../conformance/work.ts'
import { createApi, type Api } from '../support/api.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

describe('S8 what one caller can send or hold open is bounded at every listener', () => {
  let server: Server
  let eve: Person
  let ann: Person
  let session: { id: string }
  const doors: Record<string, () => Api> = {
    'the port': () => server.api(token),
    'the local socket': () => server.api(),
    'the door of agents': () =>
      createApi(
        { socket: join(server.home, 'run', 'gate.sock') },
        { authorization: `Bearer ${token}`, host: new URL(server.address).host },
      ),
  }
  let token = ''

  beforeAll(async () => {
    server = await startServer({ config: roomy })
    ;[ann, eve] = [await newPerson(server, 'Ann'), await newPerson(server, 'Eve')]
    token = (await newToken(server.api(), { name: 'agent', scope: 'agent' })).token
    session = await startSession(server.api(token))
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  describe.each(Object.keys(doors))('%s', (door) => {
    const paths = (): string[] => [
      `/api/sessions/${session.id}/messages`,
      // The owner's own programs also use MCP over the socket.
      '/mcp',
    ]
    const send = async (path: string, raw: string | Buffer, headers: Record<string, string> = {}) => {
      const accept = 'application/json, text/event-stream'
      const reply = await doors[door]?.().send('POST', path, { raw, headers: { accept, ...headers } })
      if (!reply) throw new Error(door)
      return reply
    }
    const refused = async (raw: string | Buffer, headers?: Record<string, string>) => {
      const statuses: number[] = []
      for (const path of paths()) statuses.push((await send(path, raw, headers)).status)
      return statuses
    }

    it('refuses compressed bodies, and does not decompress them', async () => {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
      expect(await refused(bomb, { 'content-encoding': 'gzip' })).toEqual([400, 400])
    })

    it('refuses bodies that are too large, too deep or have too many values', async () => {
      expect(await refused(Buffer.alloc(17 * 1024 * 1024, ' '))).toEqual([413, 413])
      expect(await refused('['.repeat(1_000_000))).toEqual([400, 400])
      expect(await refused(`[${'0,'.repeat(200_000)}0]`)).toEqual([400, 400])
    })

    it('refuses endless paths and headers', async () => {
      const api = (doors[door] ?? server.api)()
      // A client that is still sending when it is cut off may not see the response.
      const cutOff = (error: NodeJS.ErrnoException) => ({ status: /EPIPE|ECONNRESET/.test(error.code ?? '') ? 431 : 0 })
      const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`x-${n}`, 'a']))
      const long = `/api/sessions?q=${'a'.repeat(100_000)}`
      expect((await api.send('GET', long).catch(cutOff)).status).toBe(431)
      expect((await api.send('GET', '/api/sessions', { headers: many }).catch(cutOff)).status).toBe(431)
      expect((await api.send('GET', '/api/sessions')).status).toBe(200)
    })
  })

  /** Opens a stream of events and holds it. */
  const hold = (person: Person, stack: DisposableStack): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${person.token}` }
      const call: ClientRequest = request(`${server.address}/api/events`, { headers, agent: false }, (response) => {
        response.resume().on('error', () => {})
        resolve(response.statusCode ?? 0)
      })
      call.on('error', reject).end()
      stack.defer(() => call.on('error', () => {}).destroy())
    })

  it('streams of one person are limited, other people are not affected, and closing one makes room', async () => {
    {
      using held = new DisposableStack()
      const statuses = await Promise.all(Array.from({ length: 250 }, () => hold(eve, held)))
      expect(statuses.filter((status) => status === 200)).toHaveLength(200)
      expect(statuses.filter((status) => status === 429)).toHaveLength(50)
      const refusal = await eve.api.refused('GET', '/api/me')
      expect([refusal.status, refusal.code]).toEqual([429, 'too_many_open_requests'])
      expect(await hold(ann, held)).toBe(200)
      expect((await ann.api.send('GET', '/api/me')).status).toBe(200)
    }
    await until(async () => (await eve.api.send('GET', '/api/me')).status === 200, { what: 'room for another request' })
  })
})
