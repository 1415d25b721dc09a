import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalOf, type Api } from '../support/api.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import { me, newPerson, postCode, redeem } from './people.ts'
import type { Token } from './shapes.ts'
import { newToken, startSession } from './work.ts'

const codeOf = (link: string) => new URL(link).searchParams.get('code')!
const mcp = { protocolMode: 'mcp', workspaceRoot: '/work' }

describe.each(usualDatabases)('access on %s', (database) => {
  let server: Server
  let owner: Api
  beforeAll(async () => {
    server = await startServer({ database, config: 'max_concurrent_sessions = 1000\n' })
    owner = server.api()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const link = async () => (await owner.post<{ url: string; expiresAt: string }>('/api/login-links')).url
  const everywhere = [
    '/',
    '/login?code=x',
    '/healthz',
    '/readyz',
    '/metrics',
    '/api/openapi.json',
    '/api/docs',
    '/api/sessions',
    '/api/events',
    '/api/nothing',
    '/style.css',
  ]

  it.each(['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])(
    'B11 a request for the host %j is refused everywhere (DNS rebinding)',
    async (host) => {
      const { token } = await newToken(owner)
      const replies = await Promise.all(
        everywhere.map((path) => server.api(token).send('GET', path, { headers: { host } })),
      )
      expect(everywhere.filter((_path, index) => replies[index]!.status !== 403)).toEqual([])
    },
  )

  it.each(['localhost', '127.0.0.1', '[::1]'])('B11 the host %s is accepted as this machine', async (name) => {
    const { token } = await newToken(owner)
    const { port } = new URL(server.address)
    expect(
      (await server.api(token).send('GET', '/api/sessions', { headers: { host: `${name}:${port}` } })).status,
    ).toBe(200)
  })

  it.each([
    'http://evil.example',
    'null',
    'http://127.0.0.1:1',
    'http://localhost.evil.example',
    'https://evil.example:443',
  ])('B11 a page from %s can do nothing, with a token or a cookie', async (origin) => {
    const login = await redeem(server, await link())
    const { token } = await newToken(owner)
    for (const api of [server.api(token), server.tcp(login)]) {
      const get = await api.send('GET', '/api/sessions', { headers: { origin } })
      expect(refusalOf(get)).toMatchObject({ status: 403, code: 'origin_not_allowed' })
      expect(get.headers['access-control-allow-origin']).toBeUndefined()
      expect((await api.send('POST', '/api/sessions', { body: mcp, headers: { origin } })).status).toBe(403)
      expect(
        (await api.send('OPTIONS', '/api/sessions', { headers: { origin, 'access-control-request-method': 'POST' } }))
          .headers,
      ).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it('B11 a login changes nothing unless the request comes from our own page (CSRF)', async () => {
    const browser = server.tcp(await redeem(server, await link()))
    expect((await browser.send('GET', '/api/sessions')).status).toBe(200)
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      const reply = await browser.send('POST', '/api/sessions', { body: mcp, headers })
      expect(refusalOf(reply)).toMatchObject({ status: 403 })
      expect((await browser.send('POST', '/api/logout', { headers })).status).toBe(403)
    }
    const form = { raw: 'a=b', headers: { 'content-type': 'text/plain', origin: server.address } }
    expect((await browser.send('POST', '/api/sessions', form)).status).toBe(415)
    expect(
      (await browser.send('POST', '/api/sessions', { body: mcp, headers: { origin: server.address } })).status,
    ).toBe(201)
    expect(
      (await browser.send('POST', '/api/sessions', { body: mcp, headers: { 'sec-fetch-site': 'same-origin' } })).status,
    ).toBe(201)
  })

  it('B11 a page from another origin can’t log a browser in', async () => {
    const code = codeOf(await link())
    const origin = 'http://evil.example'
    const json = await server.tcp().send('POST', '/login', { body: { code }, headers: { origin } })
    expect(json.status).toBe(403)
    // What a form can send, whatever origin it claims.
    for (const from of [{ origin }, { origin: server.address }, {}])
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        const form = { raw: `code=${code}`, headers: { 'content-type': type, ...from } }
        const reply = await server.tcp().send('POST', '/login', form)
        expect([403, 415]).toContain(reply.status)
        expect(reply.headers['set-cookie']).toBeUndefined()
      }
    expect((await postCode(server, code)).status).toBe(200)
  })

  it('C2 the cookie is HttpOnly and SameSite, and limited to this server', async () => {
    const reply = await postCode(server, codeOf(await link()))
    const [cookie] = reply.headers['set-cookie']!
    expect(cookie).toMatch(/;\s*HttpOnly/i)
    expect(cookie).toMatch(/;\s*SameSite=(Lax|Strict)/i)
    expect(cookie).not.toMatch(/Domain=/i)
  })

  it('C2 a login link works once, and viewing it does not use it up', async () => {
    const url = await link()
    const path = url.slice(server.address.length)
    for (let look = 0; look < 2; look += 1) {
      const page = await server.tcp().send('GET', path)
      expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined])
    }
    const replies = await Promise.all([1, 2, 3].map(() => postCode(server, codeOf(url))))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(2)
    expect(replies.find(({ status }) => status === 403)!.text).toMatch(/already used/)
  })

  it('C2 the link printed at startup signs the owner in', async () => {
    const login = await redeem(server, server.loginLink)
    expect(await me(server.tcp(login))).toBe(await me(owner))
  })

  it('C2 a login link expires after ten minutes', async () => {
    const { url, expiresAt } = await owner.post<{ url: string; expiresAt: string }>('/api/login-links')
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(9)
    expect(minutes).toBeLessThanOrEqual(10)
    await using look = await lookInto(server)
    await look.change("update login_links set expires_at = '2020-01-01T00:00:00.000Z' where used_at is null")
    const late = await postCode(server, codeOf(url))
    expect([late.status, late.headers['set-cookie']]).toEqual([403, undefined])
  })

  it('C2 only owners can make a login link for someone else', async () => {
    const ann = await newPerson(server, 'Ann')
    expect((await ann.api.refused('POST', '/api/login-links', { userId: await me(owner) })).status).toBe(403)
    await owner.post(`/api/users/${ann.id}/roles`, { role: 'admin' })
    expect((await ann.api.refused('POST', '/api/login-links', { userId: await me(owner) })).status).toBe(403)
    expect(await ann.api.post('/api/login-links')).toMatchObject({ url: expect.stringContaining('/login?code=') })
  })

  it('C2 signing out ends the login on the server, not only in the browser', async () => {
    const login = await redeem(server, await link())
    const browser = server.tcp({ ...login, origin: server.address })
    const out = await browser.send('POST', '/api/logout')
    expect(out.status).toBe(200)
    expect(out.headers['set-cookie']?.[0]).toMatch(/Max-Age=0/)
    expect((await browser.refused('GET', '/api/me')).status).toBe(401)
  })

  it('C2 a read token can read but not change anything', async () => {
    const reader = server.api((await newToken(owner, { scope: 'read' })).token)
    const session = await startSession(owner)
    expect((await reader.send('GET', `/api/sessions/${session.id}`)).status).toBe(200)
    for (const [method, path] of [
      ['POST', '/api/sessions'],
      ['POST', `/api/sessions/${session.id}/pause`],
      ['DELETE', `/api/sessions/${session.id}`],
      ['POST', '/api/tokens'],
      ['POST', '/api/login-links'],
      ['POST', '/api/me/link-codes'],
      ['POST', '/api/users'],
    ] as const) {
      const body =
        path === '/api/tokens'
          ? { name: 'x' }
          : path === '/api/users'
            ? { displayName: 'x' }
            : path === '/api/sessions'
              ? mcp
              : {}
      const reply = await reader.send(method, path, method === 'POST' ? { body } : {})
      expect([method, path, reply.status, refusalOf(reply).code]).toEqual([method, path, 403, 'read_only_token'])
    }
    expect(await owner.get(`/api/sessions/${session.id}`)).toMatchObject({ status: 'active' })
  })

  it('C2 a revoked token is refused at once, no matter who revoked it', async () => {
    const ann = await newPerson(server, 'Ann')
    const made = await newToken(ann.api)
    await server.api(made.token).get('/api/me')
    expect((await (await newPerson(server, 'Bob')).api.refused('DELETE', `/api/tokens/${made.id}`)).status).toSatisfy(
      (code) => code === 403 || code === 404,
    )
    await ann.api.delete(`/api/tokens/${made.id}`)
    expect(await server.api(made.token).refused('GET', '/api/me')).toMatchObject({
      status: 401,
      code: 'token_not_valid',
    })
    const other = await newToken(ann.api)
    await owner.delete(`/api/tokens/${other.id}`)
    expect((await server.api(other.token).refused('GET', '/api/me')).status).toBe(401)
  })

  it('C2 an expired token is refused', async () => {
    const { token } = await newToken(owner, { expiresAt: new Date(Date.now() - 1000).toISOString() }).catch(() => ({
      token: 'none',
    }))
    expect((await server.api(token).refused('GET', '/api/me')).status).toBe(401)
  })

  it('C2 tokens are listed without their secrets, and only your own', async () => {
    const ann = await newPerson(server, 'Ann')
    const made = await newToken(ann.api, { name: 'of Ann' })
    const text = JSON.stringify(await ann.api.list<Token>('/api/tokens'))
    expect(text).toContain(made.id)
    expect(text).not.toContain(made.token)
    expect(text).not.toMatch(/hash/)
    expect(JSON.stringify(await owner.list('/api/tokens'))).not.toContain(made.id)
    expect(JSON.stringify(await owner.list('/api/tokens?all=true'))).toContain(made.id)
    expect((await ann.api.refused('GET', '/api/tokens?all=true')).status).toBe(403)
  })

  it('C2 no secret is stored: no token, login code, cookie, login key or link code', async () => {
    const { token } = await newToken(owner)
    const unused = codeOf(await link())
    const login = await redeem(server, await link())
    const [cookie, key] = [login.cookie.split('=')[1]!, login['x-signalbox-key']]
    const { code } = await owner.post<{ code: string }>('/api/me/link-codes')
    await server.tcp(login).get('/api/me')
    await server.tcp({ ...login, cookie: `signalbox=${cookie}` }).send('GET', '/api/me')
    await using look = await lookInto(server)
    const everything = await look.everything()
    const files = filesBelow(server.home).map((file) => readFileSync(file, 'latin1'))
    for (const secret of [token, unused, cookie, key, code, code.replace('-', '')]) {
      expect(everything).not.toContain(secret)
      for (const content of files) expect(content.includes(secret)).toBe(false)
      expect(server.log()).not.toContain(secret)
    }
    expect(everything).toContain('"hash"')
  })

  const filesBelow = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))

  it('B11 only the owner can use the Unix socket and the data directory', async () => {
    expect(statSync(server.socket).mode & 0o777).toBe(0o600)
    expect(statSync(server.home).mode & 0o777).toBe(0o700)
  })

  it('B11 the socket carries the same API and needs no token', async () => {
    expect(await owner.get('/api/me')).toMatchObject({ via: 'socket', as: 'person' })
    expect((await owner.refused('GET', '/api/nothing')).status).toBe(404)
  })

  it('C2 over the socket a token still determines the actor', async () => {
    const ann = await newPerson(server, 'Ann')
    expect(await me(owner.as({ authorization: `Bearer ${ann.token}` }))).toBe(ann.id)
    expect((await owner.as({ authorization: 'Bearer sbx_wrong' }).refused('GET', '/api/me')).status).toBe(401)
  })
})

describe('guessing', () => {
  it('C2 login attempts are limited, and the socket still works', async () => {
    await using server = await startServer()
    const statuses: number[] = []
    for (let n = 0; n < 40; n += 1) statuses.push((await postCode(server, `guess-${n}-guess-guess-guess`)).status)
    expect(statuses[0]).toBe(403)
    expect(statuses.at(-1)).toBe(429)
    const limited = await postCode(server, 'x')
    expect(limited.text).toMatch(/again in \d+ seconds/)
    expect(limited.headers['retry-after']).toMatch(/^\d+$/)
    expect((await server.api().send('GET', '/api/me')).status).toBe(200)
  })

  it('C2 wrong tokens are limited too, and the refusal says how long', async () => {
    await using server = await startServer()
    let last = await server.api('sbx_wrong').send('GET', '/api/me')
    expect(last.status).toBe(401)
    for (let n = 0; n < 40; n += 1) last = await server.api(`sbx_wrong_${n}`).send('GET', '/api/me')
    expect(refusalOf(last)).toMatchObject({ status: 429, code: 'too_many_attempts' })
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
  })
})
