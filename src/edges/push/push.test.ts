import { expect, it } from 'vitest'
import type { PushDeviceId } from '../../domain/push/id.ts'
import { usualSettings, type NotificationSettings } from '../../domain/push/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { newId } from '../../lib/id.ts'
import { silentLogger } from '../../lib/log.ts'
import { openPushService, type PushBrowser } from '../../../test/support/push-service.ts'
import { until } from '../../../test/support/until.ts'
import { describeUsual, newAsk, type Node, type Person, type World } from '../../../test/world.ts'
import { startPush, type PushDeps } from './start-push.ts'

const start = (world: World, more: Partial<PushDeps> = {}, node: Node = world) =>
  startPush({
    app: node.app,
    clock: world.clock,
    log: silentLogger,
    subject: 'mailto:ops@example.org',
    allowPrivate: true,
    isLooking: () => false,
    timeoutMs: 600_000,
    ...more,
  })

async function subscribe(world: World, person: Person, browser: PushBrowser): Promise<PushDeviceId> {
  const { subscription } = browser
  const id = newId<PushDeviceId>()
  await world.do({ type: 'push.add_device', id, userId: person.userId, ...subscription, loginHash: null }, person)
  return id
}

const devicesOf = async (world: World, { userId }: Person) =>
  (await world.app.push.addressees(new Date().toISOString()))
    .filter((one) => one.userId === userId)
    .flatMap(({ destinations }) => destinations.map(({ destination }) => destination))

/** Waits until the outbox is empty: later messages are not expected. */
const settled = (world: World) =>
  until(
    async () =>
      (await world.database.read.selectFrom('outbox').select('id').where('status', '=', 'waiting').execute()).length ===
      0,
  )

const answer = (world: World, id: Awaited<ReturnType<World['ask']>>, by: Person) =>
  world.do({ type: 'ask.answer', id, answer: { outcome: 'approve', always: false, reason: null } }, by)

const set = (world: World, person: Person, settings: Partial<NotificationSettings>) =>
  world.do({ type: 'push.set_settings', userId: person.userId, settings: { ...usualSettings, ...settings } }, person)

describeUsual('notifications', (open) => {
  it('go to both browsers of one person, each encrypted for itself, and say who asks, where, and how much is waiting', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.machineUser('Ann')
    const session = await world.session(ann, { agent: 'claude', workspaceRoot: '/home/ann/shop' })
    await using push = await start(world)
    const browsers = [service.browser('Phone'), service.browser('Desk')]
    for (const one of browsers) await subscribe(world, ann, one)
    const id = await world.ask(session, { title: 'Run the tests?' })
    for (const one of browsers) {
      const { payload, vapid, urgency } = await one.first(({ type }) => type === 'needs_you')
      expect(payload).toMatchObject({
        v: 1,
        tag: `ask:${id}`,
        title: 'Run the tests?',
        url: `/asks/${id}`,
        askId: id,
        silent: false,
        badge: 1,
        actions: [{ action: 'approve' }, { action: 'reject' }],
      })
      expect(payload.body).toContain('claude in shop')
      expect(vapid).toMatchObject({ audience: service.origin, publicKey: push.publicKey })
      expect(urgency).toBe('high')
    }
  })

  it('go only to people who may answer: the owner and delegates', async () => {
    await using world = await open()
    await using service = await openPushService()
    const [ann, bob, eve] = [await world.person('Ann'), await world.person('Bob'), await world.person('Eve')]
    const session = await world.session(ann)
    await world.do({ type: 'session.delegate', id: session, userId: bob.userId }, ann)
    await using _push = await start(world)
    const [a, b, e] = [service.browser(), service.browser(), service.browser()]
    for (const [who, at] of [
      [ann, a],
      [bob, b],
      [eve, e],
    ] as const)
      await subscribe(world, who, at)
    await world.ask(session)
    await a.first(({ type }) => type === 'needs_you')
    await b.first(({ type }) => type === 'needs_you')
    await settled(world)
    expect(e.tries()).toBe(0)
  })

  it('are not sent while the person looks at the session, in mode local, if a rule answers, or if turned off', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const bob = await world.person('Bob')
    const [seen, other, local, muted] = [
      await world.session(ann),
      await world.session(ann),
      await world.session(ann, { mode: 'local' }),
      await world.session(bob),
    ]
    await using _push = await start(world, { isLooking: (who, id) => who === ann.userId && id === seen })
    const [browser, quiet] = [service.browser(), service.browser()]
    await subscribe(world, ann, browser)
    await subscribe(world, bob, quiet)
    await set(world, bob, { needsYou: false })
    await world.ask(seen)
    await world.ask(local)
    await world.ask(muted)
    const yes = { outcome: 'approve' as const, always: false, reason: null }
    await world.do({ type: 'ask.open', ask: newAsk(other), automatic: { rule: 'tests', answer: yes } })
    const told = await world.ask(other)
    await browser.first(({ tag }) => tag === `ask:${told}`)
    await settled(world)
    expect(browser.received).toHaveLength(1)
    expect(quiet.tries()).toBe(0)
  })

  it('in quiet hours make no sound, except critical ones; "done" is not sent', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const session = await world.session(ann)
    await using _push = await start(world)
    const browser = service.browser()
    await subscribe(world, ann, browser)
    // It is midnight UTC: one o'clock in Berlin and nine in Tokyo.
    await set(world, ann, { quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' } })
    const plain = await world.ask(session)
    const grave = await world.ask(session, { riskLevel: 'critical' })
    expect((await browser.first(({ tag }) => tag === `ask:${plain}`)).payload.silent).toBe(true)
    const loud = (await browser.first(({ tag }) => tag === `ask:${grave}`)).payload
    expect(loud).toMatchObject({ silent: false, actions: [{ action: 'open' }, { action: 'reject' }] })
    await world.do({ type: 'session.complete', id: session, reason: null })
    await browser.first(({ tag, type }) => tag === `ask:${grave}` && type === 'gone')
    await set(world, ann, { quietHours: { from: '22:00', to: '07:00', timeZone: 'Asia/Tokyo' } })
    const day = await world.ask(await world.session(ann))
    expect((await browser.first(({ tag }) => tag === `ask:${day}`)).payload.silent).toBe(false)
    await settled(world)
    expect(browser.received.some(({ payload }) => payload.type === 'done')).toBe(false)
  })

  it('are replaced on every device by who answered, and the badge counts down', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person('Ann')
    const bob = await world.person('Bob')
    const session = await world.session(ann)
    await world.do({ type: 'session.delegate', id: session, userId: bob.userId }, ann)
    await using _push = await start(world)
    const [a, b] = [service.browser(), service.browser()]
    await subscribe(world, ann, a)
    await subscribe(world, bob, b)
    const id = await world.ask(session)
    for (const one of [a, b]) await one.first(({ type }) => type === 'needs_you')
    await answer(world, id, bob)
    const gone = await a.first(({ type }) => type === 'gone')
    expect(gone.payload).toMatchObject({ tag: `ask:${id}`, silent: true, badge: 0 })
    expect(gone.payload.body).toContain('Bob approved it')
    expect((await b.first(({ type }) => type === 'gone')).payload.body).toContain('You approved it')
  })

  it('say silently that a session has ended, but not to the person who ended it', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person('Ann')
    const [by, itself] = [await world.session(ann, { agent: 'codex' }), await world.session(ann, { agent: 'codex' })]
    await using _push = await start(world)
    const browser = service.browser()
    await subscribe(world, ann, browser)
    await world.do({ type: 'session.terminate', id: by, reason: null }, ann)
    await world.do({ type: 'session.fail', id: itself, reason: 'out of tokens' })
    const { payload, urgency } = await browser.first(({ type }) => type === 'done')
    expect(payload).toMatchObject({ tag: `session:${itself}`, url: `/sessions/${itself}`, silent: true })
    expect(payload.title).toBe('codex failed')
    expect(urgency).toBe('low')
    await settled(world)
    expect(browser.received).toHaveLength(1)
  })

  it('reach the others when the service of one says 410: that device is removed, and its person can see it', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const session = await world.session(ann)
    await using _push = await start(world)
    const [dead, alive] = [service.browser(), service.browser()]
    dead.answers(410)
    await subscribe(world, ann, dead)
    const kept = await subscribe(world, ann, alive)
    await world.ask(session)
    await alive.first(({ type }) => type === 'needs_you')
    await until(async () => (await devicesOf(world, ann)).length === 1)
    expect(await devicesOf(world, ann)).toEqual([kept])
    await world.ask(session)
    await until(() => alive.received.length === 2)
    expect(dead.tries()).toBe(1)
  })

  it('are retried later when a service is overloaded, as late as it asks, and its device says why', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    await using _push = await start(world)
    const browser = service.browser()
    browser.answers({ status: 503, headers: { 'retry-after': '120' }, body: 'too much' })
    await subscribe(world, ann, browser)
    const standing = await world.app.read.standing(ann)
    const errorOf = async () => {
      const devices = await world.app.read.pushDevices(standing)
      return devices.ok ? devices.value[0]?.lastError : undefined
    }
    await world.ask(await world.session(ann))
    expect(await until(errorOf)).toBe('the push service answered 503: too much')
    browser.answers(201)
    const wanted = world.clock.now() + 120_000
    await until(() => world.clock.timers().includes(wanted))
    world.clock.advance(120_000)
    await browser.first(({ type }) => type === 'needs_you')
    await until(async () => (await errorOf()) === null)
    expect(browser.tries()).toBe(2)
  })

  it('are not retried once they are no longer needed', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    await using _push = await start(world)
    const browser = service.browser()
    browser.answers(500)
    await subscribe(world, ann, browser)
    const id = await world.ask(await world.session(ann))
    await until(() => browser.tries() === 1)
    // Only its own timer says that the failure is recorded: while it is sent there is a later one, for the end of its claim.
    const retryAt = world.clock.now() + 5000
    await until(() => world.clock.timers().includes(retryAt))
    browser.answers(201)
    await answer(world, id, ann)
    world.clock.advance(3_600_000)
    await settled(world)
    expect(browser.received.map(({ payload }) => payload.type)).not.toContain('needs_you')
  })

  it('are not delayed by a service that hangs', async () => {
    await using world = await open()
    await using service = await openPushService()
    await using hanging = await openPushService()
    const ann = await world.person()
    const session = await world.session(ann)
    await using _push = await start(world)
    const stuck = Array.from({ length: 20 }, () => hanging.browser())
    for (const one of stuck) {
      one.answers('hang')
      await subscribe(world, ann, one)
    }
    const browser = service.browser()
    await subscribe(world, ann, browser)
    for (let count = 1; count <= 3; count += 1) {
      await world.ask(session)
      await until(() => browser.received.length === count)
    }
    // A service gets a limited number at a time, and each of its devices one.
    expect(stuck.reduce((sum, one) => sum + one.tries(), 0)).toBeLessThanOrEqual(8)
  })

  it('reach a hundred devices, each once', async () => {
    await using world = await open()
    await using service = await openPushService()
    const people = await Promise.all(Array.from({ length: 10 }, (_, n) => world.person(`P${n}`)))
    const [owner, ...others] = people
    if (!owner) return
    const session = await world.session(owner)
    for (const { userId } of others) await world.do({ type: 'session.delegate', id: session, userId }, owner)
    await using _push = await start(world)
    const browsers = Array.from({ length: 100 }, (_, n) => service.browser(`B${n}`))
    for (const [n, one] of browsers.entries()) await subscribe(world, people[n % 10] ?? owner, one)
    await world.ask(session)
    await until(() => browsers.every(({ received }) => received.length > 0))
    await settled(world)
    expect(browsers.map((one) => one.tries())).toEqual(browsers.map(() => 1))
  })

  it('are sent once after a crash between event and sending, even if the event is handled again', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const session = await world.session(ann)
    const browser = service.browser()
    {
      // Creates its cursor; nothing is handled while it is stopped.
      await using _push = await start(world)
    }
    await subscribe(world, ann, browser)
    const id = await world.ask(session)
    await whatIsWritten(world, session, id)
    await using _again = await start(world)
    await browser.first(({ tag }) => tag === `ask:${id}`)
    await settled(world)
    expect(browser.tries()).toBe(1)
  })

  it('that were accepted and recorded are not sent again by a server that handles the event again', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const browser = service.browser()
    await subscribe(world, ann, browser)
    const before = await placeOf(world)
    {
      await using _push = await start(world)
      await world.ask(await world.session(ann))
      await browser.first(({ type }) => type === 'needs_you')
      await settled(world)
    }
    await world.database.write.updateTable('followers').set(before).where('name', '=', 'push').execute()
    await using _again = await start(world)
    const last = await world.ask(await world.session(ann))
    await browser.first(({ tag }) => tag === `ask:${last}`)
    expect(browser.tries()).toBe(2)
  })

  it('of several nodes on one database are sent by one of them, with the same key', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const browser = service.browser()
    await subscribe(world, ann, browser)
    await using one = await start(world)
    const node = await world.join()
    await using two = await start(world, {}, node)
    expect(two.publicKey).toBe(one.publicKey)
    const ids = []
    for (let count = 0; count < 5; count += 1) ids.push(await world.ask(await world.session(ann)))
    for (const id of ids) await browser.first(({ tag }) => tag === `ask:${id}`)
    await settled(world)
    expect(browser.tries()).toBe(5)
  })

  it('a test message reports the reply of its service', async () => {
    await using world = await open()
    await using service = await openPushService()
    const ann = await world.person()
    const eve = await world.person('Eve')
    await using push = await start(world, { timeoutMs: 3000 })
    const browser = service.browser()
    const id = await subscribe(world, ann, browser)
    expect(await push.test(ann.userId, id)).toMatchObject({ value: { delivered: true, error: null } })
    expect(browser.received[0]?.payload).toMatchObject({ type: 'test', silent: false })
    expect(await push.test(eve.userId, id)).toMatchObject({ fault: { code: 'push_device_not_found' } })
    browser.answers('hang')
    expect(await push.test(ann.userId, id)).toMatchObject({
      value: { delivered: false, error: 'no answer within 3 s' },
    })
    browser.answers(404)
    expect(await push.test(ann.userId, id)).toMatchObject({ value: { delivered: false } })
    expect(await devicesOf(world, ann)).toEqual([])
  })
})

async function placeOf(world: World) {
  const place = await world.app.read.newestPlace()
  return place ?? { tx: 0, seq: 0 }
}

/** The rows a follower writes for an ask, twice, and the claim of a sender that is then killed. */
async function whatIsWritten(world: World, sessionId: SessionId, askId: string) {
  const { read, write } = world.database
  const events = await read.selectFrom('events').select(['id', 'data']).where('type', '=', 'ask.opened').execute()
  const event = events.find(({ data }) => data.includes(askId))!
  const at = new Date(world.clock.now()).toISOString()
  const people = await world.app.push.addressees(new Date().toISOString())
  const about = { type: 'needs_you' as const, subject: { kind: 'ask' as const, id: askId, sessionId }, at }
  const items = people.flatMap(({ destinations }) =>
    destinations.map((where) => ({ sender: 'push', key: event.id, eventId: event.id, ...about, ...where })),
  )
  await world.app.outbox.add(items)
  await world.app.outbox.add(items)
  const claim = { claimed_by: world.nodeId, claimed_until: '2031-01-01T00:00:00.000Z', attempts: 1 }
  await write.updateTable('outbox').set(claim).execute()
}
