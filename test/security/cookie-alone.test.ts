import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookInto } from '../conformance/look.ts'
import { me, newPerson, postCode, redeem, type Login } from '../conformance/people.ts'
import type { Ask } from '../conformance/shapes.ts'
import { newToken, nobody, openAsk, startSession } from '../conformance/work.ts'
import { refusalOf, type Api, type Reply } from '../support/api.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { within } from '../support/until.ts'

type Document = { paths: Record<string, Record<string, object>> }

// A program on another port of the same host gets the cookie when a person follows a link there.
describe.each(usualDatabases)('a stolen cookie on %s', (database) => {
  let server: Server
  let owner: Api
  let login: Login
  beforeAll(async () => {
    server = await startServer({ database, config: 'max_concurrent_sessions = 1000\n' })
    owner = server.api()
    login = await redeem(server, await link())
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const link = async () => (await owner.post<{ url: string }>('/api/login-links')).url
  /** Everything a program can forge, including our own origin. */
  const thief = (more: Record<string, string> = {}) =>
    server.tcp({ cookie: login.cookie, origin: server.address, 'sec-fetch-site': 'same-origin', ...more })

  it('S3 mints no token, answers no ask, reads nothing, and signs nobody out', async () => {
    const ask = await openAsk(owner, await startSession(owner))
    const tried: [string, Reply][] = [
      ['who is it', await thief().send('GET', '/api/me')],
      ['sessions', await thief().send('GET', '/api/sessions')],
      ['a token', await thief().send('POST', '/api/tokens', { body: { name: 'mine now' } })],
      ['a login link', await thief().send('POST', '/api/login-links', { body: {} })],
      ['an answer', await thief().send('POST', `/api/asks/${ask.id}/answer`, { body: { outcome: 'approve' } })],
      ['sign out', await thief().send('POST', '/api/logout')],
    ]
    expect(tried.map(([what, { status }]) => `${what}: ${status}`)).toEqual(tried.map(([what]) => `${what}: 401`))
    expect(await owner.get<Ask>(`/api/asks/${ask.id}`)).toMatchObject({ status: 'open' })
    expect(await me(server.tcp(login))).toBe(await me(owner))
  })

  it('S3 is refused at every endpoint of the API, without a key and with any key but its own', async () => {
    const { paths } = await owner.get<Document>('/api/openapi.json')
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    )
    expect(operations.length).toBeGreaterThan(80)
    const other = await redeem(server, await link())
    const stranger = (await newPerson(server, 'Ann')).login
    const key = login['x-signalbox-key']
    const keys = [
      {},
      { 'x-signalbox-key': other['x-signalbox-key'] },
      { 'x-signalbox-key': stranger['x-signalbox-key'] },
      { 'x-signalbox-key': `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` },
      { 'x-signalbox-key': `${key}, ${key}` },
      { 'x-signalbox-key': login.cookie.split('=')[1] ?? '' },
      { cookie: `${login.cookie}; x-signalbox-key=${key}` },
    ]
    for (const { method, path } of operations) {
      const real = path
        .replace('{identity}', 'tg:1')
        .replace('{role}', 'admin')
        .replaceAll(/\{\w+\}/g, nobody())
      for (const headers of keys) {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
        const reply = await thief().send(method, `${real}?key=${key}&x-signalbox-key=${key}`, { ...body, headers })
        const { status, code } = refusalOf(reply)
        expect([method, path, headers, status, code]).toEqual([method, path, headers, 401, 'login_key_missing'])
      }
    }
    // Other callers are accepted as before.
    const { token } = await newToken(owner)
    expect(await me(server.api(token))).toBe(await me(owner))
    expect(await me(server.tcp(login))).toBe(await me(owner))
    expect(await me(server.tcp({ cookie: login.cookie, authorization: `Bearer ${token}` }))).toBe(await me(owner))
  })

  it('S3 says what is missing and what to do', async () => {
    const refusal = await thief().refused('GET', '/api/inbox')
    expect(refusal).toMatchObject({ message: expect.stringContaining('key'), hint: expect.stringContaining('login') })
    expect(refusal.headers['set-cookie']).toBeUndefined()
  })

  it('S3 gets no events: streams need the key, and end with the login', async () => {
    for (const path of ['/api/events', '/api/events?after=0', `/api/terminals/${nobody()}/live`])
      expect((await thief({ accept: 'text/event-stream' }).send('GET', path)).status).toBe(401)
    const own = await redeem(server, await link())
    await using stream = await openEvents(server.tcp(own))
    await server.tcp({ ...own, origin: server.address }).post('/api/logout')
    await within(stream.ended, 'the end of the stream')
    await expect(openEvents(server.tcp(own))).rejects.toThrow('401')
  })

  it('S3 gets pages without data, and no page or response contains a key', async () => {
    const { user } = await owner.get<{ user: { id: string; displayName: string } }>('/api/me')
    const secrets = [user.id, login['x-signalbox-key'], login.cookie.split('=')[1] ?? '']
    const paths = ['/', '/sessions', '/settings/tokens', `/asks/${nobody()}`, '/sign-in.js', '/service-worker.js']
    for (const path of [...paths, '/login', '/api/docs', '/api/openapi.json', '/healthz', '/readyz', '/metrics']) {
      const reply = await thief({ accept: 'text/html,*/*' }).send('GET', path)
      for (const secret of secrets) expect([path, reply.text.includes(secret)]).toEqual([path, false])
      expect([path, reply.headers['set-cookie']]).toEqual([path, undefined])
    }
  })

  it('S3 opens no endpoint for agents, with the key or without', async () => {
    const call = { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } }
    for (const path of ['/mcp', '/sse', '/messages'])
      for (const [headers, status] of [
        [{}, 401],
        [{ 'x-signalbox-key': login['x-signalbox-key'] }, 403],
      ] as const) {
        const accept = 'application/json, text/event-stream'
        expect((await thief({ accept }).send('POST', path, { ...call, headers })).status).toBe(status)
        expect((await thief({ accept }).send('GET', path, { headers })).status).toBe(status)
      }
  })

  it('S3 gets no key: it comes once, with the code of a link', async () => {
    const url = await link()
    const code = new URL(url).searchParams.get('code') ?? ''
    const first = await postCode(server, code)
    expect(first.body).toMatchObject({ key: expect.stringMatching(/^[\w-]{43}$/), userId: await me(owner) })
    const bodies = [{}, { code }, { code: '' }, { code: null }, { code: [code] }, { cookie: login.cookie }, []]
    for (const body of bodies) {
      const reply = await thief().send('POST', '/login', { body })
      expect([400, 403]).toContain(reply.status)
      expect(reply.text).not.toContain('"key"')
    }
    for (const path of ['/login', `/login?code=${code}`, '/api/login', '/api/key', '/api/me/key'])
      expect((await thief().send('GET', path)).text).not.toContain((first.body as { key: string }).key)
  })

  it('S3 an older login has no key: it must sign in again, and is told so', async () => {
    const old = await redeem(server, await link())
    await using look = await lookInto(server)
    const hash = `(select cookie_hash from logins order by created_at desc limit 1)`
    await look.change(`update logins set key_hash = null where cookie_hash = ${hash}`)
    for (const headers of [old, { cookie: old.cookie }, { ...old, 'x-signalbox-key': '' }])
      expect(await server.tcp(headers).refused('GET', '/api/me')).toMatchObject({ code: 'login_key_missing' })
    const page = await server.tcp({ cookie: old.cookie, accept: 'text/html' }).send('GET', `/asks/${nobody()}`)
    expect([page.status, page.text.includes('sign in again')]).toEqual([401, true])
  })

  it('S3 cookies that other servers set break nothing', async () => {
    const [name] = login.cookie.split('=')
    const stranger = (await newPerson(server, 'Eve')).login
    const made = Array.from({ length: 12 }, (_, n) => `${name}=${'x'.repeat(40)}${n}`)
    for (const cookie of [
      `${stranger.cookie}; ${login.cookie}`,
      `${login.cookie}; ${stranger.cookie}`,
      [...made, login.cookie].join('; '),
      `${name}=; ${name}; ${name}=%zz; ${name}="${'y'.repeat(3000)}"; ${login.cookie}`,
    ])
      expect(await me(server.tcp({ ...login, cookie }))).toBe(await me(owner))
    // If theirs replaces ours, the person has to sign in again, and nothing worse.
    for (const cookie of [stranger.cookie, `${name}=${'x'.repeat(43)}`, Array(200).fill(made[0]).join('; ')])
      expect((await server.tcp({ ...login, cookie }).refused('GET', '/api/me')).status).toBe(401)
  })

  it('S3 other origins can’t use our responses in frames, windows, scripts or referrers', async () => {
    const pages = ['/', '/sessions', '/api/docs', `/login?code=${'x'.repeat(43)}`]
    for (const path of pages) {
      const { headers } = await server.tcp({ cookie: login.cookie, accept: 'text/html' }).send('GET', path)
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'x-frame-options': 'DENY',
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'same-origin',
          'cache-control': 'no-store',
        }),
      ])
    }
    for (const path of ['/api/me', '/api/openapi.json', '/sign-in.js', '/icon.svg', '/metrics']) {
      const { headers } = await server.tcp(login).send('GET', path)
      expect([path, headers['cross-origin-resource-policy'], headers['x-content-type-options']]).toEqual([
        path,
        'same-origin',
        'nosniff',
      ])
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})
