import { readFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, post } from '../support/kill-harness-http.ts'
import { freshHome, startReady, type ServerLife } from '../support/kill-harness-server.ts'
import { freshPostgres } from '../support/postgres.ts'
import { until, within } from '../support/until.ts'
import { errorIn, exchange, head, open, posting, type Endpoint } from './raw.ts'

const megabyte = 1024 * 1024

describe.each(['sqlite', 'postgres'] as const)('bad input, on %s', (kind) => {
  const stack = new AsyncDisposableStack()
  let life: ServerLife
  let endpoint: Endpoint
  let tcp: Endpoint
  let session: string

  beforeAll(async () => {
    const home = stack.use(freshHome())
    const database = kind === 'postgres' ? stack.use(await freshPostgres()) : null
    const env = {
      SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1000',
      ...(database && { SIGNALBOX_DATABASE__URL: database.url }),
    }
    life = stack.use(await startReady({ home: home.path, env }))
    endpoint = { path: life.socketPath }
    const address = new URL(await life.ready)
    tcp = { host: address.hostname, port: Number(address.port) }
    session = String((await post(life.socketPath, '/api/sessions', { protocolMode: 'mcp' })).body['id'])
  })
  afterAll(() => stack.disposeAsync())

  const messages = () => `/api/sessions/${session}/messages`
  const ok = async () => expect((await get(life.socketPath, '/api/sessions?limit=1')).status).toBe(200)
  const residentMegabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${life.pid}/status`, 'utf8'))?.[1]) / 1024
  async function metric(name: string): Promise<number> {
    const { text } = await get(life.socketPath, '/metrics')
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  }

  it.each([
    [400, 'malformed_json', 'POST', '/api/sessions', '{"protocolMode": "mcp"'],
    [400, 'malformed_json', 'POST', '/api/sessions', 'NaN'],
    [400, 'invalid_request', 'POST', '/api/sessions', '[]'],
    [400, 'invalid_request', 'POST', '/api/sessions', '{"protocolMode": 7, "metadata": "none"}'],
    [400, 'invalid_request', 'GET', '/api/sessions?limit=many', null],
    [400, 'invalid_request', 'GET', '/api/sessions/not-an-id', null],
    [404, 'session_not_found', 'GET', '/api/sessions/00000000-0000-4000-8000-000000000000', null],
    [400, 'bad_cursor', 'GET', '/api/events?after=nowhere', null],
    [400, 'bad_cursor', 'GET', '/api/audit?before=1.2.3', null],
    [404, 'no_such_address', 'GET', '/api/nothing/here', null],
    [405, 'method_not_allowed', 'DELETE', '/api/asks', null],
  ])('answers %i %s to %s %s %s', async (status, code, method, path, body) => {
    const sent = body === null ? head(method, path) : posting(path, body)
    const answer = await exchange(endpoint, (socket) => socket.write(sent))
    expect([answer.status, errorIn(answer).code]).toEqual([status, code])
    expect(errorIn(answer).message).not.toBe('')
    await ok()
  })

  it('discards a body that was sent only in part', async () => {
    const before = life.log.length
    for (let n = 0; n < 20; n += 1) {
      const socket = open(endpoint)
      const length = 5000
      const sent = head('POST', messages(), { 'content-type': 'application/json', 'content-length': length })
      await new Promise((resolve) => socket.write(`${sent}{"role": "user", "content"`, resolve))
      socket.destroy()
    }
    await ok()
    expect(JSON.parse((await get(life.socketPath, messages())).text)).toEqual([])
    expect(life.log.slice(before).filter((line) => Number(line['level']) >= 50)).toEqual([])
  })

  it('refuses 50 MB with 413, with or without a length, in bounded memory', async () => {
    const before = residentMegabytes()
    const piece = Buffer.alloc(megabyte, 'x')
    const length = { 'content-type': 'application/json', 'content-length': 50 * megabyte }
    // A client that waits once its buffer is full gets the reason; one that floods may find the connection closed instead.
    const announced = await exchange(endpoint, (socket) => socket.write(head('POST', messages(), length)))
    expect([announced.status, errorIn(announced).code]).toEqual([413, 'body_too_large'])
    const chunked = await exchange(endpoint, (socket) => {
      socket.write(head('POST', messages(), { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }))
      for (let n = 0; n < 17; n += 1) {
        socket.write(`${megabyte.toString(16)}\r\n`)
        socket.write(piece)
        socket.write('\r\n')
      }
    })
    expect([chunked.status, errorIn(chunked).code]).toEqual([413, 'body_too_large'])
    const floods = await Promise.all(
      Array.from({ length: 10 }, () =>
        exchange(endpoint, (socket) => {
          socket.write(head('POST', messages(), length))
          for (let n = 0; n < 50; n += 1) socket.write(piece)
        }),
      ),
    )
    expect(floods.filter(({ status }) => status !== 413 && status !== 0)).toEqual([])
    // A limited part of each body, not all 500 MB.
    expect(residentMegabytes() - before).toBeLessThan(300)
    await ok()
  })

  it.each([
    ['as the body', (deep: string) => deep],
    ['in a field', (deep: string) => `{"protocolMode": "mcp", "metadata": {"deep": ${deep}}}`],
  ])('refuses JSON nested 100,000 deep %s with 400', async (_where, wrap) => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const answer = await exchange(endpoint, (socket) => socket.write(posting('/api/sessions', wrap(deep))))
    expect([answer.status, errorIn(answer).code]).toEqual([
      400,
      expect.stringMatching(/invalid_request|malformed_json|json_too_deep/),
    ])
    await ok()
  })

  it('refuses thousands of query parameters', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=1`).join('&')
    const some = await exchange(endpoint, (socket) => socket.write(head('GET', `/api/sessions?${many(1500)}`)))
    expect([some.status, errorIn(some).code]).toEqual([400, 'invalid_request'])
    expect(some.body.length).toBeLessThan(50_000)
    const all = await exchange(endpoint, (socket) => socket.write(head('GET', `/api/sessions?${many(10_000)}`)))
    expect(all.status).toBe(431)
    await ok()
  })

  it('refuses a huge header with 431', async () => {
    const answer = await exchange(endpoint, (socket) =>
      socket.write(head('GET', '/api/me', { 'x-huge': 'x'.repeat(100_000) })),
    )
    expect(answer.status).toBe(431)
    await ok()
  })

  it.each([
    ['a raw NUL in the path', Buffer.from('GET /api/sessions/\0 HTTP/1.1\r\nhost: localhost\r\n\r\n')],
    ['an encoded NUL in the path', Buffer.from(head('GET', '/api/sessions/%00'))],
    ['a raw NUL in JSON', posting('/api/sessions', '{"protocolMode": "mcp", "prompt": "\0"}')],
    ['invalid UTF-8 in the path', Buffer.from(head('GET', '/api/sessions/%ff%fe'))],
    [
      'raw invalid UTF-8 in the path',
      Buffer.concat([
        Buffer.from('GET /api/'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from(' HTTP/1.1\r\nhost: localhost\r\n\r\n'),
      ]),
    ],
    ['a broken escape in a query', Buffer.from(head('GET', '/api/sessions?limit=%zz'))],
    [
      'invalid UTF-8 in JSON',
      posting(
        '/api/sessions',
        Buffer.concat([
          Buffer.from('{"protocolMode": "mcp", "prompt": "'),
          Buffer.from([0xc3, 0x28, 0xff]),
          Buffer.from('"}'),
        ]),
      ),
    ],
    ['an invalid request', Buffer.from('HELO there\r\n\r\n')],
    [
      'two content lengths',
      Buffer.from('POST /api/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'),
    ],
  ])('refuses %s', async (_what, bytes) => {
    const before = life.log.length
    const answer = await exchange(endpoint, (socket) => socket.write(bytes))
    expect([0, 400, 404]).toContain(answer.status)
    expect(life.log.slice(before).filter((line) => Number(line['level']) >= 50)).toEqual([])
    await ok()
  })

  it('stores an escaped NUL or refuses it, in every text, and never fails', async () => {
    const nul = 'a\0b'
    const replies = await Promise.all([
      post(life.socketPath, '/api/sessions', {
        protocolMode: 'mcp',
        prompt: nul,
        agent: nul,
        metadata: { [nul]: nul },
      }),
      post(life.socketPath, messages(), { role: 'user', content: { type: 'text', text: nul } }),
      post(life.socketPath, `/api/sessions/${session}/asks`, {
        title: nul,
        description: nul,
        subject: { kind: 'question', question: nul },
      }),
      post(life.socketPath, '/api/users', { displayName: nul }),
      post(life.socketPath, '/api/tokens', { name: nul }),
      post(life.socketPath, `/api/sessions/${session}/pause`, { reason: nul }),
      get(life.socketPath, '/api/audit?text=%00&actor=%00'),
    ])
    expect(
      replies.map(({ status, text }) => ([200, 201, 400].includes(status) ? 'fine' : `${status} ${text}`)),
    ).toEqual(replies.map(() => 'fine'))
    await ok()
  })

  it('treats __proto__ as an ordinary name', async () => {
    const body =
      '{"protocolMode": "mcp", "__proto__": {"limit": 1}, "metadata": {"__proto__": {"polluted": true}, "a": 1}}'
    const top = await exchange(endpoint, (socket) => socket.write(posting('/api/sessions', body)))
    expect([201, 400]).toContain(top.status)
    const inside =
      '{"protocolMode": "mcp", "metadata": {"__proto__": {"polluted": true}, "constructor": {"prototype": {"x": 1}}}}'
    const nested = await exchange(endpoint, (socket) => socket.write(posting('/api/sessions', inside)))
    expect([201, 400]).toContain(nested.status)
    const plain = await post(life.socketPath, '/api/sessions', { protocolMode: 'mcp' })
    expect([plain.status, plain.body['metadata'], 'polluted' in plain.body]).toEqual([201, {}, false])
  })

  it('serves 500 connections at once', async () => {
    const idle = Array.from({ length: 500 }, () => open(tcp))
    const replies = await within(
      Promise.all(Array.from({ length: 500 }, () => get(life.socketPath, '/api/me'))),
      '500 answers',
      20,
    )
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]))
    idle.forEach((socket) => socket.destroy())
    await ok()
  })

  it('releases clients that left while waiting for an answer or for events', async () => {
    const logBefore = life.log.length
    const ask = await post(life.socketPath, `/api/sessions/${session}/asks`, {
      title: 'nobody answers',
      subject: { kind: 'question', question: 'Anyone?' },
    })
    const timers = () => metric('nodejs_active_resources\\{type="Timeout"\\}')
    // Those of earlier connections end first.
    const before = await until(
      async () => {
        const count = await timers()
        return count >= 0 && count < 100 ? count : null
      },
      { what: 'quiet', seconds: 30 },
    )
    const polls = Array.from({ length: 100 }, () => hang(`/api/asks/${String(ask.body['id'])}?wait=60`))
    const streams = Array.from({ length: 100 }, () => hang('/api/events'))
    await until(async () => (await metric('signalbox_event_readers')) === 100, { what: '100 readers' })
    await until(async () => (await timers()) >= before + 100, { what: '100 who wait' })
    await ok()
    for (const call of [...polls, ...streams]) call.destroy()
    await until(async () => (await metric('signalbox_event_readers')) === 0, { what: 'no reader' })
    await until(async () => (await timers()) < before + 50, { what: 'the end of the waiting' })
    expect(life.log.slice(logBefore).filter((line) => Number(line['level']) >= 50)).toEqual([])
    await ok()
  })

  function hang(path: string) {
    const call = send({ socketPath: life.socketPath, path, agent: false, headers: { host: 'localhost' } })
    call.on('error', () => {})
    call.on('response', (response) => response.resume().on('error', () => {}))
    call.end()
    return call
  }
})
