import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { openPushService, type PushBrowser, type PushService } from '../support/push-service.ts'
import { usualDatabases, freshHome, startServer, type Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { until } from '../support/until.ts'
import { newMachineUser, type Person } from './people.ts'
import { approve, newAgent, openAsk, roomy, startSession } from './work.ts'

type Device = {
  id: string
  name: string
  endpointHost: string
  createdAt: string
  lastSeenAt: string | null
  lastError: string | null
}

const config = `${roomy}[push]\nallow_private_endpoints = true\nsubject = "mailto:ops@example.org"\n`

const add = (api: Api, { subscription }: PushBrowser) => api.post<Device>('/api/push/devices', subscription)
const devicesOf = async (api: Api) => (await api.get<{ devices: Device[] }>('/api/push/devices')).devices
const about = (ask: { id: string }) => (payload: { tag: string }) => payload.tag === `ask:${ask.id}`
const settings = (api: Api, body: unknown) => api.send('PUT', '/api/push/settings', { body })

describe.each(usualDatabases)('notifications on %s', (database) => {
  let server: Server
  let service: PushService
  beforeAll(async () => {
    service = await openPushService()
    server = await startServer({ database, config })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
  })

  /** A person with their own session, so that tests do not see each other's notifications. */
  async function somebody(name: string): Promise<Person & { session: { id: string } }> {
    const person = await newMachineUser(server, name)
    return { ...person, session: await startSession(person.api) }
  }

  it('B5 an ask reaches both browsers of a person: encrypted for each, signed with the key it subscribed with', async () => {
    const ann = await somebody('Ann')
    const { publicKey } = await ann.api.get<{ publicKey: string }>('/api/push/key')
    const browsers = [service.browser('Phone'), service.browser('Desk')]
    for (const one of browsers) await add(ann.api, one)
    const ask = await openAsk(ann.api, ann.session, { title: 'Deploy it?' })
    for (const one of browsers) {
      const { payload, vapid, ttl, urgency, topic, bytes } = await one.first(about(ask))
      expect(payload).toMatchObject({
        v: 1,
        type: 'needs_you',
        title: 'Deploy it?',
        url: `/asks/${ask.id}`,
        askId: ask.id,
        silent: false,
        badge: 1,
      })
      expect(payload.actions?.map(({ action }) => action)).toEqual(['approve', 'reject'])
      expect(vapid).toMatchObject({ audience: service.origin, subject: 'mailto:ops@example.org', publicKey })
      expect(vapid.expires * 1000).toBeGreaterThan(Date.now())
      expect(vapid.expires * 1000).toBeLessThanOrEqual(Date.now() + 24 * 3600 * 1000)
      expect({ urgency, bytes: bytes <= 3000, ttl: ttl > 0, topic: /^[\w-]{1,32}$/.test(topic) }).toEqual({
        urgency: 'high',
        bytes: true,
        ttl: true,
        topic: true,
      })
    }
    await ann.api.post(`/api/asks/${ask.id}/answer`, approve)
    for (const one of browsers) {
      const gone = await one.first((payload) => about(ask)(payload) && payload['type'] === 'gone')
      expect(gone.payload).toMatchObject({ silent: true, badge: 0 })
    }
  })

  it('B5 a browser that signs out gets no more notifications', async () => {
    const ann = await somebody('Ann who leaves')
    const own = server.tcp({ ...ann.login, origin: server.address })
    const browser = service.browser('Borrowed')
    await add(own, browser)
    expect(await devicesOf(ann.api)).toHaveLength(1)
    await own.post('/api/logout')
    expect(await devicesOf(ann.api)).toEqual([])
  })

  it('B5 invalid keys are refused when the browser is added, not with each notification', async () => {
    const ann = await somebody('Ann with broken keys')
    const { subscription } = service.browser('Broken')
    const keys = { ...subscription.keys, p256dh: `B${'A'.repeat(86)}` }
    const refused = await ann.api.send('POST', '/api/push/devices', { body: { ...subscription, keys } })
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text).error.code).toBe('bad_device_key')
  })

  it('B5 critical asks can’t be approved from the notification', async () => {
    const ann = await somebody('Ann')
    const browser = service.browser()
    await add(ann.api, browser)
    const ask = await openAsk(ann.api, ann.session, { riskLevel: 'critical' })
    const { payload } = await browser.first(about(ask))
    expect(payload.actions?.map(({ action }) => action)).not.toContain('approve')
  })

  it('B5 a message that its service refuses for good is a dead letter, and can be sent again', async () => {
    const ann = await somebody('Ann who is refused')
    const browser = service.browser('Refused')
    const device = await add(ann.api, browser)
    browser.answers(400)
    const ask = await openAsk(ann.api, ann.session)
    type Letter = { id: string; kind: string; follower: string; destination: string; error: string }
    const letters = async () =>
      (await server.api().list<Letter>('/api/dead-letters')).filter(({ destination }) => destination === device.id)
    const [letter] = await until(async () => ((await letters()).length > 0 ? letters() : null))
    expect(letter).toMatchObject({ kind: 'message', follower: 'push', error: expect.stringContaining('400') })
    browser.answers(201)
    await server.api().post(`/api/dead-letters/${letter!.id}/retry`)
    await browser.first(about(ask))
    await until(async () => (await letters()).length === 0)
    expect(browser.tries()).toBe(2)
  })

  it('B5 the end of a session is announced silently, but not to the person who ended it', async () => {
    const ann = await somebody('Ann')
    const agent = server.api(await agentToken(ann.api))
    const browser = service.browser()
    await add(ann.api, browser)
    const own = await startSession(ann.api)
    await ann.api.post(`/api/sessions/${own.id}/terminate`, {})
    const theirs = await startSession(agent)
    await agent.post(`/api/sessions/${theirs.id}/complete`, {})
    const done = await browser.first(({ type }) => type === 'done')
    expect(done.payload).toMatchObject({ tag: `session:${theirs.id}`, silent: true })
    expect(done.urgency).toBe('low')
    expect(browser.received).toHaveLength(1)
  })

  it('B5 the end of a turn is announced silently, once nothing is left to do', async () => {
    const owner = server.api()
    const browser = service.browser()
    const device = await add(owner, browser)
    const workspaceRoot = await freshHome()
    const started = { protocolMode: 'acp', agent: 'practice', isolation: 'none', workspaceRoot, prompt: '/say one' }
    const { id } = await owner.post<{ id: string }>('/api/sessions', started)
    const { payload, urgency } = await browser.first(({ tag }) => tag === `session:${id}`)
    expect(payload).toMatchObject({ type: 'done', silent: true, url: `/sessions/${id}` })
    expect(payload.title).toContain('finished its turn')
    expect(urgency).toBe('low')
    await owner.post(`/api/sessions/${id}/terminate`, {})
    await rm(workspaceRoot, { recursive: true, force: true })
    await owner.delete(`/api/push/devices/${device.id}`)
  })

  it('B5 nothing is sent while you look at that session, or in mode local; again when you look away', async () => {
    const ann = await somebody('Ann')
    const browser = service.browser()
    await add(ann.api, browser)
    const local = await startSession(ann.api, { mode: 'local' })
    const unsaid = await openAsk(ann.api, local)
    {
      await using _looking = await openEvents(ann.api, { query: `?live=${ann.session.id}&looking=true` })
      const seen = await openAsk(ann.api, ann.session)
      const elsewhere = await openAsk(ann.api, await startSession(ann.api))
      await browser.first(about(elsewhere))
      expect(browser.received.some(({ payload }) => about(seen)(payload))).toBe(false)
    }
    const later = await until(async () => {
      const ask = await openAsk(ann.api, ann.session)
      const other = await openAsk(ann.api, await startSession(ann.api))
      await browser.first(about(other))
      return browser.received.find(({ payload }) => about(ask)(payload))
    })
    expect(later.payload.silent).toBe(false)
    expect(browser.received.some(({ payload }) => about(unsaid)(payload))).toBe(false)
  })

  it('B5 in quiet hours only critical asks make a sound, by the person’s local time', async () => {
    const ann = await somebody('Ann')
    const browser = service.browser()
    await add(ann.api, browser)
    const usual = { needsYou: true, done: true, quietHours: null }
    expect(await ann.api.get('/api/push/settings')).toEqual(usual)
    const hour = (shift: number) => `${String((new Date().getUTCHours() + shift + 24) % 24).padStart(2, '0')}:00`
    const quiet = { ...usual, quietHours: { from: hour(-1), to: hour(2), timeZone: 'UTC' } }
    expect(await settings(ann.api, quiet)).toMatchObject({ status: 200, body: quiet })
    const plain = await openAsk(ann.api, ann.session)
    const grave = await openAsk(ann.api, ann.session, { riskLevel: 'critical' })
    expect((await browser.first(about(plain))).payload.silent).toBe(true)
    expect((await browser.first(about(grave))).payload.silent).toBe(false)
    // The same hours in a time zone six hours away.
    await settings(ann.api, { ...quiet, quietHours: { ...quiet.quietHours, timeZone: 'Asia/Dhaka' } })
    const awake = await openAsk(ann.api, ann.session)
    expect((await browser.first(about(awake))).payload.silent).toBe(false)
    await settings(ann.api, { ...usual, needsYou: false })
    await openAsk(ann.api, ann.session)
    expect(
      await settings(ann.api, { ...usual, quietHours: { from: '25:00', to: '07:00', timeZone: 'Mars' } }),
    ).toMatchObject({
      status: 400,
    })
  })

  it('B5 devices are private: listed without their secrets, each browser once, and out of reach for others', async () => {
    const [ann, bob] = [await somebody('Ann'), await somebody('Bob')]
    const browser = service.browser('Phone')
    const made = await add(ann.api, browser)
    expect(made).toMatchObject({ name: 'Phone', endpointHost: new URL(service.origin).host, lastError: null })
    expect((await add(ann.api, browser)).id).toBe(made.id)
    const listed = await devicesOf(ann.api)
    expect(listed.map(({ id }) => id)).toEqual([made.id])
    expect(JSON.stringify(listed)).not.toContain(browser.subscription.keys.auth)
    expect(JSON.stringify(listed)).not.toContain(new URL(browser.subscription.endpoint).pathname)
    expect(await devicesOf(bob.api)).toEqual([])
    expect(await bob.api.refused('POST', `/api/push/devices/${made.id}/test`, {})).toMatchObject({ status: 404 })
    expect(await bob.api.refused('DELETE', `/api/push/devices/${made.id}`)).toMatchObject({ status: 404 })
    expect(await ann.api.post(`/api/push/devices/${made.id}/test`, {})).toEqual({ delivered: true, error: null })
    expect(browser.received[0]?.payload.type).toBe('test')
    // Bob signs in on Ann's browser: from now on it is his.
    const taken = await add(bob.api, browser)
    expect(await devicesOf(ann.api)).toEqual([])
    await bob.api.delete(`/api/push/devices/${taken.id}`)
    expect(await devicesOf(bob.api)).toEqual([])
  })

  it('B5 an agent gets neither the key nor devices, and a read-only token changes nothing', async () => {
    const agent = await newAgent(server)
    for (const path of ['/api/push/key', '/api/push/devices', '/api/push/settings'])
      expect(await agent.refused('GET', path)).toMatchObject({ status: 403 })
    const { subscription } = service.browser()
    expect(await agent.refused('POST', '/api/push/devices', subscription)).toMatchObject({ status: 403 })
    const ann = await somebody('Ann')
    const { token } = await ann.api.post<{ token: string }>('/api/tokens', { name: 'look', scope: 'read' })
    expect(await server.api(token).refused('POST', '/api/push/devices', subscription)).toMatchObject({ status: 403 })
  })

  it('B5 a deleted device is removed, one whose service hangs delays nobody, and its person can see why', async () => {
    const ann = await somebody('Ann')
    await using hanging = await openPushService()
    const [dead, stuck, alive] = [service.browser('Dead'), hanging.browser('Stuck'), service.browser('Alive')]
    dead.answers(410)
    stuck.answers('hang')
    for (const one of [dead, stuck, alive]) await add(ann.api, one)
    for (let count = 1; count <= 3; count += 1) {
      const ask = await openAsk(ann.api, ann.session)
      await alive.first(about(ask))
    }
    expect(
      (
        await until(async () => {
          const found = await devicesOf(ann.api)
          return found.length === 2 ? found : null
        })
      ).map(({ name }) => name),
    ).toEqual(['Stuck', 'Alive'])
    expect(dead.tries()).toBe(1)
    // Nothing was delayed; its own message is retried later.
    hanging.hangUp()
    const why = await until(async () => (await devicesOf(ann.api)).find(({ name }) => name === 'Stuck')?.lastError)
    expect(why).toContain('hang up')
  })

  it('B5 a killed server sends what it had not sent, and does not repeat what was accepted', async () => {
    const ann = await somebody('Ann')
    const [told, later] = [service.browser('Told'), service.browser('Later')]
    later.answers('hang')
    for (const one of [told, later]) await add(ann.api, one)
    const ask = await openAsk(ann.api, ann.session)
    await told.first(about(ask))
    await until(() => later.tries() === 1)
    await until(async () => (await devicesOf(ann.api)).find(({ name }) => name === 'Told')?.lastSeenAt)
    await server.kill('SIGKILL')
    later.answers(201)
    await server.restart()
    await later.first(about(ask))
    const again = server.api(ann.token)
    const next = await openAsk(again, ann.session)
    for (const one of [told, later]) await one.first(about(next))
    expect(told.received.filter(({ payload }) => about(ask)(payload))).toHaveLength(1)
    expect(later.received.filter(({ payload }) => about(ask)(payload))).toHaveLength(1)
    const { publicKey } = await again.get<{ publicKey: string }>('/api/push/key')
    expect(told.received.every(({ vapid }) => vapid.publicKey === publicKey)).toBe(true)
  })

  it('B5 a hundred devices each get an ask once', async () => {
    const ann = await somebody('Ann')
    const browsers = Array.from({ length: 100 }, (_, n) => service.browser(`Browser ${n}`))
    for (const one of browsers) await add(ann.api, one)
    const ask = await openAsk(ann.api, ann.session)
    for (const one of browsers) await one.first(about(ask))
    const last = await openAsk(ann.api, ann.session)
    for (const one of browsers) await one.first(about(last))
    expect(browsers.every(({ received }) => received.length === 2)).toBe(true)
  })
})

const agentToken = async (api: Api): Promise<string> =>
  (await api.post<{ token: string }>('/api/tokens', { name: 'an agent', scope: 'agent' })).token

describe('notification settings', () => {
  it('B5 private addresses are refused unless the configuration allows them', async () => {
    await using server = await startServer({})
    const owner = server.api()
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
    for (const endpoint of [
      'http://push.example.org/x',
      'https://127.0.0.1:9/x',
      'https://localhost/x',
      'https://[::1]/x',
      'https://169.254.169.254/latest',
      'https://10.0.0.1/x',
    ])
      expect(await owner.refused('POST', '/api/push/devices', { endpoint, keys, name: 'x' })).toMatchObject({
        status: 400,
        code: 'endpoint_refused',
      })
  })

  it('B5 when off, there is no key, and the reply says how to turn it on', async () => {
    await using server = await startServer({ config: '[push]\nenabled = false\n' })
    expect(await server.api().refused('GET', '/api/push/key')).toMatchObject({
      status: 503,
      code: 'push_off',
      hint: expect.stringContaining('[push]'),
    })
  })

  it('B5 pair says if a phone can’t reach the server, and otherwise shows a code that signs in once', async () => {
    await using server = await startServer({})
    const refused = await server.cli('pair')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("a phone can't reach it")
    expect(refused.stderr).toContain('public_url')
    await server.restart('[http]\npublic_url = "https://box.example.org"\ntrusted_proxies = ["loopback"]\n')
    const shown = await server.cli('pair')
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.stdout).toMatch(/[▀▄█ ]{30,}/)
    expect(shown.stdout).toMatch(/https:\/\/box\.example\.org\/login\?code=[\w-]+/)
    const told = JSON.parse((await server.cli('pair', '--json')).stdout)
    expect(told).toMatchObject({ reach: 'yes', address: 'https://box.example.org', url: expect.any(String) })
  })
})
