import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalOf, type Api } from '../support/api.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import type { Session, SessionPage } from './shapes.ts'
import { command, newAgent, newToken, nobody, openAsk, roomy, startSession } from './work.ts'

const mcp = { protocolMode: 'mcp', workspaceRoot: '/srv/place' }

describe.each(usualDatabases)('HTTP on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  let session: Session
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api((await newToken(server.api())).token)
    agent = await newAgent(server)
    session = await startSession(agent)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('B11 all errors have the same shape: a code, a message and a request id', async () => {
    const asks = `/api/sessions/${session.id}/asks`
    const wrong: [number, string, string, unknown?][] = [
      [400, 'GET', '/api/sessions?limit=0'],
      [400, 'GET', '/api/sessions/not-an-id'],
      [400, 'POST', '/api/sessions', { protocolMode: 17 }],
      [400, 'POST', '/api/sessions', []],
      [400, 'POST', '/api/sessions', 'text'],
      [400, 'POST', '/api/sessions', { ...mcp, colour: 'red' }],
      [400, 'POST', '/api/sessions', { ...mcp, metadata: [] }],
      [400, 'POST', asks, {}],
      [400, 'POST', asks, { title: '', subject: command }],
      [400, 'POST', asks, { title: 'x', subject: { kind: 'riddle' } }],
      [400, 'POST', asks, { title: 'x', subject: command, timeoutSeconds: -1 }],
      [400, 'POST', asks, { title: 'x', subject: command, needed: 0 }],
      [400, 'POST', '/api/tokens', { name: '  ' }],
      [400, 'POST', '/api/tokens', { name: 'x', scope: 'everything' }],
      [400, 'POST', '/api/tokens', { name: 'x', expiresAt: 'soon' }],
      [404, 'GET', `/api/sessions/${nobody()}`],
      [404, 'GET', `/api/asks/${nobody()}`],
      [404, 'GET', `/api/users/${nobody()}`],
      [404, 'GET', `/api/repos/${nobody()}`],
      [404, 'DELETE', `/api/tokens/${nobody()}`],
      [404, 'POST', `/api/dead-letters/${nobody()}/retry`],
      [404, 'GET', '/api/nothing'],
      [404, 'GET', '/nothing'],
      [404, 'GET', '/api/sessions/'],
      [405, 'PUT', '/api/sessions'],
      [405, 'DELETE', '/api/asks'],
      [405, 'PATCH', `/api/sessions/${session.id}`],
      [404, 'POST', '/api/sessions', { workspaceRoot: '/nowhere/at/all' }],
      [502, 'POST', '/api/sessions', { protocolMode: 'terminal', workspaceRoot: '/' }],
    ]
    for (const [status, method, path, body] of wrong) {
      const reply = await owner.send(method, path, body === undefined ? {} : { body })
      expect([method, path, body, reply.status]).toEqual([method, path, body, status])
      expect(reply.headers['content-type']).toMatch(/^application\/json/)
      expect(reply.headers['x-request-id']).toMatch(/^[\w-]{8,}$/)
      const { error, ...rest } = reply.body as { error: Record<string, unknown> }
      expect(rest).toEqual({})
      expect(error).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/\w/) })
      expect(['code', 'message', 'hint', 'details']).toEqual(expect.arrayContaining(Object.keys(error)))
    }
  })

  it('B11 all faults of a body are reported at once, each with its place', async () => {
    const refusal = await owner.refused('POST', '/api/sessions', { protocolMode: 'pigeon', mode: 'loud', prompt: 7 })
    const issues = refusal.details?.['issues'] as { path: string }[]
    expect(issues.map(({ path }) => path).toSorted()).toEqual(['body.mode', 'body.prompt', 'body.protocolMode'])
  })

  it.each(['{', '{"a":', 'nonsense', '{"protocolMode":"mcp",}', '\u0000', '{"a":1}{"b":2}'])(
    'B11 the malformed body %j is 400',
    async (raw) => {
      const reply = await owner.send('POST', '/api/sessions', { raw })
      expect([reply.status, refusalOf(reply).code]).toEqual([400, 'malformed_json'])
    },
  )

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp'])(
    'B11 a body of type %s is 415',
    async (type) => {
      const reply = await owner.send('POST', '/api/sessions', {
        raw: JSON.stringify(mcp),
        headers: { 'content-type': type },
      })
      expect(reply.status).toBe(415)
    },
  )

  it('B11 a body of 50 MB is 413, one without a length is cut off, and the server keeps running', async () => {
    const raw = Buffer.alloc(50 * 1024 * 1024, ' ')
    const declared = await owner.send('POST', '/api/sessions', { raw })
    expect(refusalOf(declared)).toMatchObject({ status: 413, code: 'body_too_large' })
    expect(await chunked(raw)).toMatch(/^HTTP\/1\.1 413 |^hung up/)
    expect((await owner.send('GET', '/api/sessions')).status).toBe(200)
  })

  /** The same without a Content-Length, as a stream of unknown size. */
  function chunked(body: Buffer): Promise<string> {
    const { hostname, port } = new URL(server.address)
    const socket = connect(Number(port), hostname)
    const head = `POST /api/sessions HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${String(owner.headers['authorization'])}\r\n`
    socket.write(`${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`)
    const part = body.subarray(0, 1024 * 1024)
    let sent = 0
    const more = () => {
      while (sent < body.length && !socket.destroyed) {
        sent += part.length
        socket.write(`${part.length.toString(16)}\r\n`)
        socket.write(part)
        if (!socket.write('\r\n')) {
          socket.once('drain', more)
          return
        }
      }
      if (!socket.destroyed) socket.write('0\r\n\r\n')
    }
    more()
    return new Promise((resolve) => {
      let text = ''
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        if (!text.includes('\r\n')) return
        resolve(text)
        socket.destroy()
      })
      // A client that keeps writing may find the connection closed before the answer.
      socket.on('error', (error) => resolve(`hung up: ${error.message}`))
      socket.on('close', () => resolve('hung up'))
    })
  }

  it('B11 contents near the limit arrive intact', async () => {
    const text = 'ü'.repeat(1_000_000)
    const { id } = await agent.post<{ id: string }>(`/api/sessions/${session.id}/messages`, {
      role: 'agent',
      content: { type: 'text', text },
    })
    const messages = await owner.get<{ id: string; content: { text: string } }[]>(
      `/api/sessions/${session.id}/messages`,
    )
    expect(messages.find((message) => message.id === id)?.content.text === text).toBe(true)
  })

  it('B11 odd characters are stored or refused, never an internal error', async () => {
    for (const odd of ['\u0000', 'a\u0000b', '\ud800', '\u202e', '👩‍👩‍👧', '\\u0000', "'; drop table sessions; --"]) {
      const attempts: [string, unknown][] = [
        ['/api/sessions', { ...mcp, prompt: odd }],
        ['/api/sessions', { ...mcp, workspaceRoot: `/srv/${odd}` }],
        ['/api/sessions', { ...mcp, metadata: { [`k${odd}`]: odd } }],
        [`/api/sessions/${session.id}/messages`, { role: 'user', content: { type: 'text', text: odd } }],
        [
          `/api/sessions/${session.id}/asks`,
          { title: `t${odd}`, subject: { kind: 'command', command: odd, cwd: '/w' } },
        ],
        ['/api/users', { displayName: `n${odd}` }],
        ['/api/tokens', { name: `n${odd}` }],
        [`/api/sessions/${session.id}/heartbeat`, { tool: odd }],
      ]
      for (const [path, body] of attempts) {
        const { status } = await server.api().send('POST', path, { body })
        expect([path, odd, status]).toEqual([path, odd, expect.toSatisfy((code: number) => code < 500)])
      }
      const look = `/api/audit?text=${encodeURIComponent(odd.replace('\ud800', 'x'))}`
      expect((await server.api().send('GET', look)).status).toBeLessThan(500)
    }
  })

  it('B11 a deeply nested body is stored or refused, never an internal error', async () => {
    const raw = `{"protocolMode":"mcp","workspaceRoot":"/work","metadata":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`
    expect((await owner.send('POST', '/api/sessions', { raw })).status).toBeLessThan(500)
  })

  it.each(['nonsense', '', 'AAAA', 'MjAyNg', '%00'])(
    'B11 the cursor %j is 400 in every endpoint that takes one',
    async (cursor) => {
      for (const path of ['/api/sessions', '/api/asks', '/api/audit'])
        expect([path, (await owner.send('GET', `${path}?before=${encodeURIComponent(cursor)}`)).status]).toEqual([
          path,
          400,
        ])
    },
  )

  it('B11 a wrong method gets the list of allowed ones', async () => {
    const reply = await owner.send('PUT', '/api/sessions')
    expect(refusalOf(reply)).toMatchObject({ status: 405, message: expect.stringMatching(/GET.*POST|POST.*GET/) })
    expect(reply.headers['allow']?.split(/,\s*/).toSorted()).toEqual(['GET', 'POST'])
  })

  it('B11 every response has its own request id', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => owner.send('GET', '/api/sessions')))
    expect(new Set(replies.map(({ headers }) => headers['x-request-id'])).size).toBe(3)
  })

  it('B11 a POST repeated with its Idempotency-Key runs once, and gives the same result', async () => {
    const key = { 'idempotency-key': `k-${nobody()}` }
    const count = async () => (await owner.get<SessionPage>('/api/sessions')).total
    const before = await count()
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => owner.send('POST', '/api/sessions', { body: mcp, headers: key })),
    )
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201])
    expect(new Set(replies.map(({ body }) => (body as Session).id)).size).toBe(1)
    const later = await owner.post<Session>('/api/sessions', mcp, key)
    expect(later.id).toBe((replies[0]!.body as Session).id)
    expect(await count()).toBe(before + 1)
  })

  it('B11 the key applies to messages, asks, answers and moves', async () => {
    const own = await startSession(owner)
    const path = `/api/sessions/${own.id}`
    const twice = async (where: string, body: unknown) => {
      const key = { 'idempotency-key': nobody() }
      return [
        await owner.post<{ id: string }>(where, body, key),
        await owner.post<{ id: string }>(where, body, key),
      ] as const
    }
    const [first, second] = await twice(`${path}/messages`, { role: 'user', content: { type: 'text', text: 'once' } })
    expect(second).toEqual(first)
    expect(await owner.get(`${path}/messages`)).toHaveLength(1)
    const asks = await twice(`${path}/asks`, { title: 'once', subject: command })
    expect(asks[0].id).toBe(asks[1].id)
    const answers = await twice(`/api/asks/${asks[0].id}/answer`, { outcome: 'approve' })
    expect(answers[1]).toEqual(answers[0])
    const moves = await twice(`${path}/pause`, {})
    expect(moves[1]).toMatchObject({ status: 'paused' })
  })

  it('B11 a key reused for something else is 409, and another person’s key is separate', async () => {
    const key = { 'idempotency-key': nobody() }
    const mine = await owner.post<Session>('/api/sessions', mcp, key)
    const other = await owner.refused('POST', '/api/sessions', { ...mcp, workspaceRoot: '/elsewhere' }, key)
    expect(other).toMatchObject({ status: 409, code: 'key_reused' })
    expect(await owner.refused('POST', '/api/users', { displayName: 'x' }, key)).toMatchObject({
      status: 409,
      code: 'key_reused',
    })
    expect((await agent.post<Session>('/api/sessions', mcp, key)).id).not.toBe(mine.id)
  })

  it('B11 a key survives a refused try: what failed can be retried', async () => {
    const key = { 'idempotency-key': nobody() }
    const own = await startSession(owner)
    const path = `/api/sessions/${own.id}/resume`
    expect((await owner.refused('POST', path, {}, key)).status).toBe(409)
    await owner.post(`/api/sessions/${own.id}/pause`)
    expect(await owner.post(path, {}, key)).toMatchObject({ status: 'active' })
  })

  it.each(['', ' ', 'a b', 'x'.repeat(201)])('B11 the key %j is refused', async (key) => {
    const reply = await owner.send('POST', '/api/sessions', { body: mcp, headers: { 'idempotency-key': key } })
    expect(reply.status).toBe(400)
  })

  it('B11 a secret is shown once, also when the request is repeated', async () => {
    const key = { 'idempotency-key': nobody() }
    await owner.post('/api/tokens', { name: 'once' }, key)
    expect(await owner.refused('POST', '/api/tokens', { name: 'once' }, key)).toMatchObject({
      status: 409,
      code: 'secret_already_shown',
    })
    expect((await owner.list<{ name: string }>('/api/tokens')).filter(({ name }) => name === 'once')).toHaveLength(1)
  })

  it('B11 health, readiness and metrics are available to machines', async () => {
    const open = server.tcp()
    expect(await open.get('/healthz')).toEqual({ status: 'ok' })
    expect(await open.get('/readyz')).toEqual({ status: 'ready' })
    await openAsk(agent, session)
    const metrics = await open.send('GET', '/metrics')
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(metrics.text).toMatch(/^# TYPE signalbox_http_request_seconds histogram$/m)
    expect(metrics.text).toMatch(/^signalbox_open_asks [1-9]\d*$/m)
    expect(metrics.text).toMatch(/^process_resident_memory_bytes \d/m)
    expect(metrics.text).toMatch(/route="\/api\/sessions\/\{id\}\/asks"/)
    expect(metrics.text).not.toContain(session.id)
  })

  it('B11 an idle connection stays open for over a minute, so that proxies and clients can reuse it', async () => {
    const { headers } = await server.tcp().send('GET', '/healthz')
    expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60)
  })

  it('B11 no response may be cached', async () => {
    expect((await owner.send('GET', '/api/sessions')).headers['cache-control']).toBe('no-store')
  })
})

describe('a configured body limit', () => {
  it('B11 applies', async () => {
    await using server = await startServer({ config: '[http]\nbody_limit_bytes = 2000\n' })
    const body = { ...mcp, prompt: 'x'.repeat(3000) }
    expect(await server.api().refused('POST', '/api/sessions', body)).toMatchObject({ status: 413 })
    expect(await startSession(server.api())).toMatchObject({ status: 'active' })
  })
})
