import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalOf } from '../support/api.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import { newPerson, type Person } from './people.ts'

type Asked = { secret: string; code: string; expiresAt: string }

describe.each(usualDatabases)('a device that another device lets in, on %s', (database) => {
  let server: Server
  beforeAll(async () => {
    server = await startServer({ database, config: '[http]\ntrusted_proxies = ["loopback"]\n' })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  let addresses = 0
  /** A new device, at an address of its own. */
  function device(address = `203.0.113.${(addresses += 1)}`) {
    const agent = 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0 <b>Trust me</b>'
    return server.tcp({ origin: server.address, 'user-agent': agent, 'x-forwarded-for': address })
  }
  const ask = (address?: string) => device(address).post<Asked>('/login/device')
  const wait = ({ secret }: { secret: string }) => device().send('POST', '/login/device/wait', { body: { secret } })
  const stateOf = async (asked: { secret: string }) => ((await wait(asked)).body as { state: string }).state
  const show = (person: Person, code: string) => person.api.post<object>('/api/device-logins/show', { code })
  const answer = (person: Person, code: string, outcome = 'approved') =>
    person.api.post('/api/device-logins/answer', { code, outcome })

  it('S3 the person sees what asks, lets it in by its code, and it is signed in as them, once', async () => {
    const ann = await newPerson(server, 'Ann')
    const asked = await ask('203.0.113.200')
    expect(asked.code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/)
    expect(await stateOf(asked)).toBe('waiting')
    expect(await show(ann, ` ${asked.code.toLowerCase().replace('-', ' ')} `)).toEqual({
      address: '203.0.113.200',
      // Nothing that the device could choose.
      browser: 'Firefox on Windows',
      createdAt: expect.any(String),
      expiresAt: asked.expiresAt,
    })
    expect(await stateOf(asked)).toBe('waiting')
    await answer(ann, asked.code)
    const replies = await Promise.all([wait(asked), wait(asked), wait(asked)])
    const let_in = replies.filter(({ headers }) => headers['set-cookie'])
    expect(let_in).toHaveLength(1)
    const [reply] = let_in
    const cookie = reply!.headers['set-cookie']![0]!.split(';')[0]!
    const login = { cookie, 'x-signalbox-key': (reply!.body as { key: string }).key }
    expect((await server.tcp(login).get<{ user: { id: string } }>('/api/me')).user.id).toBe(ann.id)
    expect(await stateOf(asked)).toBe('over')
    expect((await ann.api.refused('POST', '/api/device-logins/show', { code: asked.code })).status).toBe(403)
    const again = { code: asked.code, outcome: 'approved' }
    expect((await ann.api.refused('POST', '/api/device-logins/answer', again)).code).toBe('device_code_not_valid')
    const { events } = await server
      .api()
      .get<{ events: { type: string; data: object }[] }>(`/api/audit?type=device.*&actor=user:${ann.id}`)
    expect(events[0]).toMatchObject({
      type: 'device.answered',
      data: { outcome: 'approved', address: '203.0.113.200' },
    })
  })

  it('S3 refused stays refused, and of two people at once one answers', async () => {
    const [ben, cem] = [await newPerson(server, 'Ben'), await newPerson(server, 'Cem')]
    const asked = await ask()
    await answer(ben, asked.code, 'denied')
    expect(await stateOf(asked)).toBe('denied')
    const late = { code: asked.code, outcome: 'approved' }
    expect((await cem.api.refused('POST', '/api/device-logins/answer', late)).code).toBe('device_code_not_valid')

    const other = await ask()
    const body = { code: other.code, outcome: 'approved' }
    const both = await Promise.all([ben, cem].map(({ api }) => api.send('POST', '/api/device-logins/answer', { body })))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
  })

  it('S3 no guess gets in: not of the secret, not of the code, and codes are limited for each person', async () => {
    const dora = await newPerson(server, 'Dora')
    const asked = await ask()
    await answer(dora, asked.code)
    // The code is no secret, and does not sign in.
    for (const secret of [asked.code, asked.code.replace('-', ''), 'x', 'A'.repeat(43)])
      expect(await stateOf({ secret })).toBe('over')
    const eve = await newPerson(server, 'Eve')
    const open = await ask()
    const codes: string[] = []
    for (let guess = 0; guess < 60; guess += 1) {
      const body = { code: `AAAA-${String(guess + 2222).replaceAll(/[01]/g, '9')}` }
      codes.push((await eve.api.refused('POST', '/api/device-logins/show', body)).code)
    }
    expect(codes.slice(0, 40)).toEqual(Array.from({ length: 40 }, () => 'device_code_not_valid'))
    expect(new Set(codes.slice(40))).toEqual(new Set(['too_many_codes']))
    // Not even with the right code then; others are not affected.
    expect((await eve.api.refused('POST', '/api/device-logins/show', { code: open.code })).status).toBe(429)
    expect(await show(dora, open.code)).toMatchObject({ browser: 'Firefox on Windows' })
  })

  it('S3 one address can’t make codes without end', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 40; count += 1)
      statuses.push((await device('203.0.113.250').send('POST', '/login/device', { body: {} })).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect(statuses.slice(30)).toEqual(Array.from({ length: 10 }, () => 429))
    expect((await ask()).code).toBeTruthy()
  })

  it('S3 an old code does nothing, nor the approval of somebody who was removed', async () => {
    const fay = await newPerson(server, 'Fay')
    const [old, kept] = [await ask(), await ask()]
    await using look = await lookInto(server)
    const everything = await look.everything()
    for (const secret of [old.secret, old.code]) expect(everything).not.toContain(secret)
    await answer(fay, kept.code)
    await look.change('update device_logins set expires_at = ? where outcome is null', '2020-01-01T00:00:00.000Z')
    expect(await stateOf(old)).toBe('over')
    expect((await fay.api.refused('POST', '/api/device-logins/show', { code: old.code })).status).toBe(403)
    await server.api().delete(`/api/users/${fay.id}`)
    expect(refusalOf(await wait(kept)).code).toBe('device_code_not_valid')
  })

  it('S3 it waits over a restart, and other pages can’t ask', async () => {
    const gil = await newPerson(server, 'Gil')
    const asked = await ask()
    await server.restart()
    await answer({ ...gil, api: server.api(gil.token) }, asked.code)
    expect((await wait(asked)).headers['set-cookie']).toBeDefined()
    const foreign = await server.tcp({ origin: 'http://evil.example' }).send('POST', '/login/device', { body: {} })
    expect(refusalOf(foreign).code).toBe('origin_not_allowed')
  })
})
