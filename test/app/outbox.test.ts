import { expect, it } from 'vitest'
import type { Sender } from '../../src/app/outbox.ts'
import { createRecipients, type Channel } from '../../src/app/recipients/recipients.ts'
import type { EventId } from '../../src/domain/audit/schema.ts'
import type { NewOutboxItem, OutboxItem, SendOutcome } from '../../src/domain/outbox/records.ts'
import { usualSettings } from '../../src/domain/push/schema.ts'
import { iso } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, openWorld, until, type Node, type World } from '../world.ts'

const minute = 60_000
const sent: SendOutcome = { kind: 'sent' }

/** A chat message; its subject is its name. */
const item = (world: World, destination: string, name: string, more: Partial<NewOutboxItem> = {}): NewOutboxItem => ({
  sender: 'chat',
  destination,
  lane: destination,
  key: name,
  eventId: newId<EventId>(),
  type: 'needs_you',
  subject: { kind: 'ask', id: name, sessionId: null },
  at: iso(world.clock.now()),
  ...more,
})

/** A chat that answers as told. */
function chat(how: (item: OutboxItem) => SendOutcome | Promise<SendOutcome> = () => sent, more: Partial<Sender> = {}) {
  const tries: OutboxItem[] = []
  const sender: Sender = {
    name: 'chat',
    ordered: true,
    inDoubt: 'hold',
    async send(one) {
      tries.push(one)
      return how(one)
    },
    ...more,
  }
  return { sender, tries, names: () => tries.map(({ subject }) => subject.id) }
}

const rows = ({ database }: Node) => database.read.selectFrom('outbox').selectAll().orderBy('seq').execute()
const statuses = async (node: Node) => (await rows(node)).map(({ status }) => status)
const allAre = (node: Node, status: string) => until(async () => (await statuses(node)).every((one) => one === status))

describeBoth('the outbox', (open) => {
  it('sends each message once and in order per destination: later ones wait for a failed try', async () => {
    await using world = await open()
    let failing = true
    const { sender, names, tries } = chat(({ subject }) =>
      subject.id === 'a' && failing ? { kind: 'transient', error: 'not now' } : sent,
    )
    await using _ = world.app.outbox.run(sender)
    const items = ['a', 'b', 'c'].map((name) => item(world, 'room', name))
    await world.app.outbox.add(items)
    await world.app.outbox.add(items)
    await until(() => world.clock.timers().length === 1)
    expect(names()).toEqual(['a'])
    failing = false
    world.clock.advance(minute)
    await allAre(world, 'sent')
    expect(names()).toEqual(['a', 'a', 'b', 'c'])
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 1])
  })

  it('a destination that hangs delays no other', async () => {
    await using world = await open()
    const hung = Promise.withResolvers<SendOutcome>()
    const { sender, names } = chat(({ destination }) => (destination === 'dead' ? hung.promise : sent))
    await using _ = world.app.outbox.run(sender)
    await world.app.outbox.add([item(world, 'dead', 'a'), item(world, 'dead', 'b')])
    await until(() => names().length === 1)
    for (const name of ['c', 'd', 'e']) await world.app.outbox.add([item(world, 'alive', name)])
    await until(() => names().length === 4)
    expect(names()).toEqual(['a', 'c', 'd', 'e'])
    hung.resolve(sent)
    await allAre(world, 'sent')
  })

  it('what failed in a lane is tried at once when the lane works again, but for a requested pause', async () => {
    await using world = await open()
    let isDown = true
    const { sender, names } = chat(({ subject }) =>
      !isDown
        ? sent
        : subject.id === 'asked'
          ? { kind: 'rate_limited', error: 'slow down', retryAfterMs: 7 * minute }
          : { kind: 'transient', error: 'the token was refused' },
    )
    await using _ = world.app.outbox.run(sender)
    await world.app.outbox.add([
      item(world, 'one', 'a', { lane: 'x' }),
      item(world, 'two', 'asked', { lane: 'x' }),
      item(world, 'three', 'other', { lane: 'y' }),
    ])
    await until(async () => names().length === 3 && (await rows(world)).every((row) => row.claimed_by === null))
    isDown = false
    await world.app.outbox.hasten('chat', 'x')
    await until(async () => (await statuses(world))[0] === 'sent')
    expect(await statuses(world)).toEqual(['sent', 'waiting', 'waiting'])
  })

  it('destinations that hang together use up no more than their share of the lane', async () => {
    await using world = await open()
    const hung = Promise.withResolvers<SendOutcome>()
    const { sender, names } = chat(({ destination }) => (destination.startsWith('dead/') ? hung.promise : sent), {
      mostPerLane: 4,
      groups: { prefixOf: (destination) => destination.slice(0, destination.indexOf('/') + 1), most: 2 },
    })
    await using _ = world.app.outbox.run(sender)
    // More than are read at once.
    const dead = Array.from({ length: 600 }, (_unused, at) => item(world, `dead/${at}`, `d${at}`, { lane: 'one' }))
    await world.app.outbox.add(dead)
    await until(() => names().length === 2)
    await world.app.outbox.add([item(world, 'alive/1', 'a', { lane: 'one' })])
    await until(() => names().includes('a'))
    expect(names()).toEqual(['d0', 'd1', 'a'])
    hung.resolve({ kind: 'permanent', error: 'gone' })
  })

  it('pauses double, a requested pause is kept, and what keeps failing is set aside and can be sent again', async () => {
    await using world = await open()
    const { clock } = world
    let outcome: SendOutcome = { kind: 'transient', error: 'no route' }
    const { sender, tries } = chat(() => outcome)
    await using _ = world.app.outbox.run(sender)
    await world.app.outbox.add([item(world, 'room', 'a')])
    const settledOnce = (count: number) =>
      until(async () => tries.length === count && (await rows(world))[0]?.claimed_by === null)
    const pauseAfter = async (count: number) => {
      await settledOnce(count)
      return Date.parse((await rows(world))[0]!.next_at) - clock.now()
    }
    /** Advances to the next try. */
    const skip = async (ms: number) => {
      await until(() => clock.timers().length === 1)
      clock.advance(ms)
    }
    expect(await pauseAfter(1)).toBe(5000)
    outcome = { kind: 'rate_limited', error: 'slow down', retryAfterMs: 7 * minute }
    await skip(5000)
    expect(await pauseAfter(2)).toBe(7 * minute)
    expect(await rows(world)).toMatchObject([{ error_class: 'rate_limited', status: 'waiting' }])
    outcome = { kind: 'permanent', error: 'no such room' }
    await skip(7 * minute)
    await allAre(world, 'failed')
    const [letter, ...rest] = await world.app.deadLetters.list()
    expect(rest).toEqual([])
    expect(letter).toMatchObject({ kind: 'message', follower: 'chat', destination: 'room', attempts: 3 })
    expect(letter?.error).toBe('permanent: no such room')
    outcome = sent
    expect(await world.app.deadLetters.retry(letter!.id)).toMatchObject({ ok: true })
    await allAre(world, 'sent')
    expect(await world.app.deadLetters.list()).toEqual([])
    expect(await world.app.deadLetters.retry(letter!.id)).toMatchObject({ fault: { code: 'dead_letter_not_found' } })
  })

  it('a try that was cut off is set aside as in doubt, or sent again if that is harmless', async () => {
    await using world = await open()
    const claimed = async (name: string, node: string, until: number) => {
      await world.app.outbox.add([item(world, name, name)])
      const claim = { claimed_by: node, claimed_until: iso(until), attempts: 1 }
      await world.database.write.updateTable('outbox').set(claim).where('key', '=', name).execute()
    }
    const { clock, nodeId } = world
    // Its own from before a crash, and one of a node that is gone.
    await claimed('own', nodeId, clock.now() + minute)
    await claimed('theirs', 'gone', clock.now() - 1)
    const { sender, tries } = chat()
    {
      await using _ = world.app.outbox.run(sender)
      await allAre(world, 'failed')
    }
    expect(tries).toEqual([])
    const letters = await world.app.deadLetters.list()
    expect(letters.map(({ error }) => error)).toEqual(letters.map(() => expect.stringContaining('in_doubt')))
    expect(letters).toHaveLength(2)
    await world.database.write.deleteFrom('outbox').execute()
    await claimed('own', nodeId, clock.now() + minute)
    const bold = chat(() => sent, { inDoubt: 'again' })
    await using _ = world.app.outbox.run(bold.sender)
    await allAre(world, 'sent')
    expect(bold.tries).toMatchObject([{ attempt: 2, inDoubt: true }])
  })

  it('what may have arrived is tried again in doubt, and stays in doubt until it is sent', async () => {
    await using world = await open()
    const outcomes: SendOutcome[] = [
      { kind: 'unsure', error: 'connection lost' },
      { kind: 'rate_limited', error: 'slow down', retryAfterMs: 1000 },
      { kind: 'transient', error: 'no route' },
      sent,
    ]
    const { sender, tries } = chat(({ attempt }) => outcomes[attempt - 1] ?? sent)
    await using _ = world.app.outbox.run(sender)
    const post = { type: 'post' as const, subject: { kind: 'post' as const, id: 'p1', sessionId: null } }
    await world.app.outbox.add([item(world, 'room', 'a', post)])
    for (const tried of [1, 2, 3]) {
      await until(async () => tries.length === tried && (await rows(world))[0]?.claimed_by === null)
      await until(() => world.clock.timers().length === 1)
      world.clock.advance(minute)
    }
    await allAre(world, 'sent')
    expect(tries.map(({ inDoubt }) => inDoubt)).toEqual([false, true, true, true])
    expect(tries[3]).toMatchObject({ type: 'post', subject: { kind: 'post', id: 'p1' } })
  })

  it('a chat unknown to the core is sent what its people may answer, and when it is over', async () => {
    await using world = await open()
    const [ann, eve] = [await world.person(), await world.person('Eve')]
    const rooms = [ann, eve].map(({ userId }) => ({
      userId,
      settings: usualSettings,
      destinations: [{ destination: `room of ${userId}`, lane: 'chat.example' }],
    }))
    const channel: Channel = { sender: 'chat', announces: () => true, addressees: async () => rooms }
    const isLooking = () => false
    const recipientsOf = createRecipients({ app: world.app, clock: world.clock, isLooking }, channel)
    const { sender, tries } = chat()
    await using _sending = world.app.outbox.run(sender)
    await using _hearing = world.app.follow.run({
      name: 'chat',
      scope: 'single',
      from: 'start',
      handle: async (event, guard) => world.app.outbox.add(await recipientsOf(event), guard),
    })
    const ask = await world.ask(await world.session(ann))
    await until(() => tries.length === 1)
    await world.do({ type: 'ask.answer', id: ask, answer: { outcome: 'approve', always: false, reason: null } }, ann)
    await until(() => tries.length === 2)
    expect(tries.map(({ type, destination, subject }) => [type, destination, subject.id])).toEqual([
      ['needs_you', `room of ${ann.userId}`, ask],
      ['gone', `room of ${ann.userId}`, ask],
    ])
  })
})

// A SQLite database belongs to one server.
it('the outbox on two nodes sends each message once', async () => {
  await using world = await openWorld('postgres')
  const other = await world.join()
  const [here, there] = [chat(), chat()]
  await using _here = world.app.outbox.run(here.sender)
  await using _there = other.app.outbox.run(there.sender)
  const names = Array.from({ length: 30 }, (_, n) => `n${n}`)
  for (const [n, name] of names.entries())
    await (n % 2 ? other : world).app.outbox.add([item(world, `room ${n % 5}`, name)])
  await allAre(world, 'sent')
  expect([...here.names(), ...there.names()].toSorted()).toEqual(names.toSorted())
})
