import { expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/app/events.ts'
import { soleLeases } from '../../src/db/leases.ts'
import { describeBoth, system, until, type World } from '../world.ts'
import { collector, idsOf } from './collect.ts'
import { inParallel } from './in-parallel.ts'

const report = (world: World, detail: string) =>
  world.do({ type: 'security.report', what: 'path_refused', detail }, system)
const detailOf = (event: LoggedEvent) => (event.type === 'security.reported' ? event.data.detail : '')
const patience = { attempts: 3, firstMs: 1, longestMs: 4 }

describeBoth('a follower', (open) => {
  it('sees everything from the start, or only what is new', async () => {
    await using world = await open()
    await report(world, 'old')
    const all = collector('all')
    const fresh = collector('fresh', { from: 'now' })
    await using _all = world.app.follow.run(all)
    await until(() => all.seen.length === 1)
    await using _fresh = world.app.follow.run(fresh)
    // Its starting place is saved before any event is delivered.
    await until(() => cursorOf(world, 'fresh'))
    await report(world, 'new')
    await until(() => all.seen.length === 2 && fresh.seen.length === 1)
    expect(all.seen.map(detailOf)).toEqual(['old', 'new'])
    expect(fresh.seen.map(detailOf)).toEqual(['new'])
  })

  it('that stops midway continues where it left off and skips nothing', async () => {
    await using world = await open()
    for (let i = 0; i < 30; i += 1) await report(world, String(i))
    const first = collector('worker')
    const enough = Promise.withResolvers<void>()
    {
      await using _ = world.app.follow.run({
        ...first,
        handle(event) {
          first.seen.push(event)
          if (first.seen.length === 10) enough.resolve()
          return first.seen.length > 10 ? new Promise((resolve) => setImmediate(resolve)) : undefined
        },
      })
      await enough.promise
    }
    const handled = first.seen.length
    expect(handled).toBeLessThan(30)
    await report(world, 'last')
    const second = collector('worker')
    await using _ = world.app.follow.run(second)
    await until(() => second.seen.some((event) => detailOf(event) === 'last'))
    const log = [...Array.from({ length: 30 }, (_, i) => String(i)), 'last']
    expect([...first.seen, ...second.seen].map(detailOf)).toEqual(log)
  })

  it('that dies before its place is saved sees the page again (at least once)', async () => {
    await using world = await open()
    for (let i = 0; i < 5; i += 1) await report(world, String(i))
    const stuck = collector('worker')
    const never = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const node = await world.join()
    const running = node.app.follow.run({
      ...stuck,
      scope: 'single',
      handle(event) {
        stuck.seen.push(event)
        if (detailOf(event) !== '3') return undefined
        reached.resolve()
        return never.promise
      },
    })
    await reached.promise
    const again = collector('worker', { scope: 'single' })
    await using _ = world.app.follow.run(again)
    await until(() => again.seen.length === 5)
    expect(again.seen.map(detailOf)).toEqual(['0', '1', '2', '3', '4'])
    never.resolve()
    await running[Symbol.asyncDispose]()
  })

  it('that fails is retried; then the event is set aside and the next ones continue', async () => {
    await using world = await open()
    const node = await world.join({ patience })
    let failing = true
    const tries: string[] = []
    const seen: string[] = []
    await using _ = node.app.follow.run({
      name: 'fragile',
      scope: 'single',
      from: 'start',
      handle(event) {
        tries.push(detailOf(event))
        if (failing && detailOf(event) === 'bad') throw new Error('not today')
        seen.push(detailOf(event))
      },
    })
    const say = (detail: string) => node.app.dispatch({ type: 'security.report', what: 'path_refused', detail }, system)
    await say('good')
    await say('bad')
    await say('better')
    await until(() => seen.length === 2)
    expect(tries).toEqual(['good', 'bad', 'bad', 'bad', 'better'])
    const [letter, ...rest] = await node.app.follow.deadLetters()
    expect(rest).toEqual([])
    expect(letter).toMatchObject({ follower: 'fragile', attempts: 3, error: 'Error: not today' })

    expect(await node.app.follow.retry(letter!.id)).toMatchObject({ fault: { code: 'follower_failed' } })
    expect(await node.app.follow.deadLetters()).toMatchObject([{ attempts: 4 }])
    failing = false
    expect(await node.app.follow.retry(letter!.id)).toMatchObject({ ok: true })
    expect(seen).toEqual(['good', 'better', 'bad'])
    expect(await node.app.follow.deadLetters()).toEqual([])
    expect(await node.app.follow.retry(letter!.id)).toMatchObject({ fault: { kind: 'not_found' } })
  })

  it('whose trouble passes in time loses nothing and leaves no dead letter', async () => {
    await using world = await open()
    const node = await world.join({ patience })
    let failures = 2
    const shaky = collector('shaky')
    await using _ = node.app.follow.run({
      ...shaky,
      async handle(event) {
        if (failures > 0) {
          failures -= 1
          throw new Error('a moment')
        }
        shaky.seen.push(event)
      },
    })
    await node.app.dispatch({ type: 'security.report', what: 'path_refused', detail: 'x' }, system)
    await until(() => shaky.seen.length === 1)
    expect(await node.app.follow.deadLetters()).toEqual([])
  })

  it('that does not run here can’t retry; an unknown dead letter is not found', async () => {
    await using world = await open()
    expect(await world.app.follow.retry('nothing')).toMatchObject({ fault: { code: 'dead_letter_not_found' } })
    const node = await world.join({ patience })
    await node.app.dispatch({ type: 'security.report', what: 'path_refused', detail: 'x' }, system)
    {
      await using _ = node.app.follow.run(collector('sad', { handle: () => Promise.reject(new Error('no')) }))
      await until(async () => (await node.app.follow.deadLetters()).length === 1)
    }
    const [letter] = await node.app.follow.deadLetters()
    expect(await world.app.follow.retry(letter!.id)).toMatchObject({ fault: { code: 'follower_not_running' } })
  })

  it('whose name is already running is refused', async () => {
    await using world = await open()
    await using _ = world.app.follow.run(collector('twin'))
    expect(() => world.app.follow.run(collector('twin'))).toThrow(/two followers are called twin/)
  })

  it('per node has a place on each node; a single one has one place for all', async () => {
    await using world = await open()
    await report(world, 'x')
    const other = await world.join({ nodeId: 'other' })
    const handled: number[] = []
    for (const node of [world, other]) {
      const each = collector('each')
      const one = collector('one', { scope: 'single' })
      await using _each = node.app.follow.run(each)
      await using _one = node.app.follow.run(one)
      await until(() => each.seen.length === 1)
      await until(() => node !== world || one.seen.length === 1)
      handled.push(one.seen.length)
    }
    expect(handled).toEqual([1, 0])
    const rows = await world.database.read
      .selectFrom('followers')
      .select(['name', 'node_id'])
      .orderBy('node_id')
      .execute()
    expect(rows.map((row) => [row.name, row.node_id])).toEqual([
      ['one', ''],
      ['each', 'first'],
      ['each', 'other'],
    ])
  })

  it('saves its place soon, though no other event comes', async () => {
    await using world = await open()
    const all = collector('all')
    await using _ = world.app.follow.run(all)
    await until(() => cursorOf(world, 'all'))
    await report(world, 'x')
    await until(() => all.seen.length === 1)
    world.clock.advance(1000)
    const saved = await until(async () => {
      const { seq } = (await cursorOf(world, 'all')) ?? {}
      return seq === all.seen[0]?.place.seq
    })
    expect(saved).toBe(true)
  })

  it('marked single runs only while it holds the lease', async () => {
    await using world = await open()
    await report(world, 'x')
    const asked: string[] = []
    const acquire = async (name: string) => {
      asked.push(name)
      return name === 'mine' ? soleLeases.acquire(name) : null
    }
    const node = await world.join({ leases: { acquire } })
    const [mine, theirs, own] = [
      collector('mine', { scope: 'single' }),
      collector('theirs', { scope: 'single' }),
      collector('own'),
    ]
    await using _mine = node.app.follow.run(mine)
    await using _theirs = node.app.follow.run(theirs)
    await using _own = node.app.follow.run(own)
    await until(() => mine.seen.length === 1 && own.seen.length === 1)
    expect(theirs.seen).toEqual([])
    // A refused caller asks again after a while.
    expect(new Set(asked)).toEqual(new Set(['mine', 'theirs']))
  })

  it('gets the same events as the listeners of the tail, page by page', async () => {
    await using world = await open()
    const heard: LoggedEvent[] = []
    using _listening = world.app.tail.listen((events) => void heard.push(...events))
    using _bad = world.app.tail.listen(() => {
      throw new Error('a broken listener')
    })
    const all = collector('all')
    await using _ = world.app.follow.run(all)
    await inParallel(Array.from({ length: 620 }).keys(), 8, (i) => report(world, String(i)))
    await until(() => all.seen.length === 620 && heard.length === 620)
    expect(idsOf(heard)).toEqual(idsOf(all.seen))
  })
})

const cursorOf = ({ database }: World, name: string) =>
  database.read.selectFrom('followers').selectAll().where('name', '=', name).executeTakeFirst()
