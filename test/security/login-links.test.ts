import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookInto } from '../conformance/look.ts'
import { me, postCode, redeem } from '../conformance/people.ts'
import { newToken } from '../conformance/work.ts'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'

describe.each(databases)('login links under attack on %s', (database) => {
  let server: Server
  let owner: Api
  beforeAll(async () => {
    server = await startServer({ database })
    owner = server.api()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const link = async () => (await owner.post<{ url: string }>('/api/login-links')).url
  const codeOf = (url: string) => new URL(url).searchParams.get('code') ?? ''
  const guess = (n: number) => postCode(server, `guess-${n}-${'g'.repeat(36)}`)

  it('S3 bad codes from the same address never lock out a valid link, however often', async () => {
    for (let round = 0; round < 3; round += 1) {
      const url = await link()
      const bad = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(round * 100 + n)))
      expect(bad.at(-1)?.status).toBe(429)
      expect(await me(server.tcp(await redeem(server, url)))).toBe(await me(owner))
    }
  })

  it('S3 bad tokens from the same address never lock out a valid one, nor a login', async () => {
    const { token } = await newToken(owner)
    const login = await redeem(server, await link())
    let last = 0
    for (let n = 0; n < 30; n += 1) last = (await server.api(`sbx_wrong_${n}`).send('GET', '/api/me')).status
    expect(last).toBe(429)
    expect(await me(server.api(token))).toBe(await me(owner))
    expect(await me(server.tcp(login))).toBe(await me(owner))
    expect(await me(server.tcp(await redeem(server, await link())))).toBe(await me(owner))
  })

  it('S3 during a flood of bad codes a valid link and a token work, and the flood writes nothing', async () => {
    const { token } = await newToken(owner)
    const url = await link()
    await using look = await lookInto(server)
    const counted = 'select (select count(*) from events) as events, (select count(*) from logins) as logins'
    const [before] = await look.rows<{ events: number; logins: number }>(counted)
    const flood = Promise.all(Array.from({ length: 500 }, (_, n) => guess(n)))
    expect(await me(server.api(token))).toBe(await me(owner))
    await redeem(server, url)
    await flood
    // Only the requested login.
    const [after] = await look.rows<{ events: number; logins: number }>(counted)
    expect([Number(after?.events), Number(after?.logins)]).toEqual([
      Number(before?.events) + 1,
      Number(before?.logins) + 1,
    ])
  })

  it.each([
    ['a wanted page that can’t be decoded', { cookie: 'signalbox_wanted=%zz' }],
    ['half a character', { cookie: 'signalbox_wanted=%e4' }],
    ['a percent sign', { cookie: '%=%; signalbox_wanted=%' }],
    ['no name', { cookie: '=x; ; ;;=; signalbox_wanted' }],
    ['many with the same name', { cookie: Array(200).fill('signalbox_wanted=%2Fa').join('; ') }],
    ['12 KB', { cookie: `signalbox_wanted=${'%'.repeat(12_000)}` }],
    ['another site', { cookie: 'signalbox_wanted=%2F%2Fevil.example' }],
    ['another site by a backslash', { cookie: 'signalbox_wanted=%2F%5Cevil.example' }],
    ['another site, encoded twice', { cookie: 'signalbox_wanted=%2F%255cevil.example' }],
    ['an invalid referrer', { referer: 'http://[::', 'sec-fetch-site': '%zz' }],
    ['an invalid key', { 'x-signalbox-key': '%zz"\\' }],
    ['an invalid forwarded address', { 'x-forwarded-for': '%zz, ,;', forwarded: 'for=%' }],
  ])('S3 headers with %s do not use a link up or redirect', async (_what, headers) => {
    const url = await link()
    const page = await server.tcp(headers).send('GET', new URL(url).pathname + new URL(url).search)
    expect(page.status).toBe(200)
    const reply = await server.tcp(headers).send('POST', '/login', {
      body: { code: codeOf(url) },
      headers: { origin: server.address },
    })
    expect([reply.status, reply.headers.location]).toEqual([200, undefined])
    for (const path of ['/', '/sessions', '/api/me', '/metrics'])
      expect((await server.tcp({ ...headers, accept: 'text/html' }).send('GET', path)).status).toBeLessThan(500)
  })

  it.each([
    ['100 KB in a cookie', `Cookie: signalbox_wanted=${'a'.repeat(100_000)}`],
    ['a control character', 'Cookie: signalbox_wanted=\u0001\u0002'],
    ['a NUL', 'Cookie: a=\u0000'],
    ['a bare line end', 'Cookie: a=b\nx-evil: 1'],
    ['two cookie headers', 'Cookie: signalbox_wanted=%zz\r\nCookie: signalbox_wanted=%'],
    ['two keys', 'x-signalbox-key: a\r\nx-signalbox-key: b'],
  ])('S3 a request with %s is refused or answered, and does not use a link up', async (_what, header) => {
    const url = await link()
    const body = JSON.stringify({ code: 'x'.repeat(43) })
    const status = await raw(
      `POST /login HTTP/1.1\r\nHost: ${new URL(server.address).host}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${header}\r\n\r\n${body}`,
    )
    expect([400, 403, 429, 431]).toContain(status)
    expect((await postCode(server, codeOf(url))).status).toBe(200)
  })

  function raw(request: string): Promise<number> {
    const { hostname, port } = new URL(server.address)
    return new Promise((resolve, reject) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1'))
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => (text += chunk))
      socket.on('error', (error) => (text === '' ? reject(error) : undefined))
      socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)))
    })
  }

  it('S3 bodies without a valid code are refused and do not use a link up', async () => {
    const url = await link()
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '{"code":1}',
      `{"code":"${'x'.repeat(20_000)}"}`,
      '"\\ud800"',
      '{"code":"\\u0000"}',
    ]) {
      const headers = { 'content-type': 'application/json', origin: server.address }
      const { status } = await server.tcp().send('POST', '/login', { raw: body, headers })
      expect([400, 403, 413, 429]).toContain(status)
    }
    expect((await postCode(server, codeOf(url))).status).toBe(200)
  })

  it('S3 another page that leads to a login link does not sign anyone in unasked', async () => {
    const { pathname, search } = new URL(await link())
    const look = async (headers: Record<string, string>) =>
      (await server.tcp(headers).send('GET', pathname + search)).text
    for (const site of ['cross-site', 'same-site', 'odd'])
      expect(await look({ 'sec-fetch-site': site })).toContain('data-when="when_confirmed"')
    expect(await look({})).toContain('data-when="when_confirmed"')
    for (const site of ['none', 'same-origin'])
      expect(await look({ 'sec-fetch-site': site })).toContain('data-when="at_once"')
    expect(await look({})).toContain('needs JavaScript')
  })
})
