import pg from 'pg'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { comparePlaces, start, type Place } from '../../src/domain/audit/cursor.ts'
import { shownEvent, type LoggedEvent } from '../../src/app/events.ts'
import { appendEvent, readEvents, type NewEvent } from '../../src/domain/audit/store.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { newId } from '../../src/lib/id.ts'
import type { Db, Tx } from '../../src/db/open.ts'
import { openWorld, system, until, type World } from '../world.ts'
import { collector, idsOf } from './collect.ts'
import { scale } from '../support/scale.ts'

const event = (type: string): NewEvent => ({
  id: newId(),
  at: '2030-01-01T00:00:00.000Z',
  type,
  actor: 'system:test',
  stream: 'security',
  sessionId: null,
  ownerUserId: null,
  named: [],
  agentGroupId: null,
  visibility: 'admin',
  commandKey: null,
  data: {},
})

/** A transaction that waits where the test wants. */
function heldTransaction(db: Db) {
  const begun = Promise.withResolvers<Tx>()
  const release = Promise.withResolvers<void>()
  const done = db.transaction().execute(async (tx) => {
    begun.resolve(tx)
    await release.promise
  })
  const commit = () => {
    release.resolve()
    return done
  }
  return { tx: begun.promise, commit, [Symbol.asyncDispose]: commit }
}

/** What is settled after a place, once there is any: other databases of the server hold the horizon back too. */
const settled = ({ database: { read, flavor } }: World, after: Place, count = 1) =>
  until(async () => {
    const events = await readEvents(read, flavor, { after, limit: 10, viewer: { sees: 'all' } })
    return events.length >= count ? events : null
  })

describe('a follower on PostgreSQL', () => {
  it('sees an event that took the first number but was committed last', async () => {
    await using world = await openWorld('postgres')
    const { database, app } = world
    const { read, write, flavor } = database
    const follower = collector('all')
    await using _ = app.follow.run(follower)

    await using slow = heldTransaction(write)
    const a = await appendEvent(await slow.tx, event('a'))
    const b = await write.transaction().execute((tx) => appendEvent(tx, event('b')))
    expect(a.place.seq).toBeLessThan(b.place.seq)
    expect(a.place.tx).toBeLessThan(b.place.tx)

    // Reading by number alone takes b now and continues after it: a is lost.
    const bySeq = (after: number) =>
      read.selectFrom('events').select(['seq', 'type']).where('seq', '>', after).orderBy('seq').execute()
    const naive = await bySeq(0)
    expect(naive.map((row) => row.type)).toEqual(['b'])
    expect(await readEvents(read, flavor, { after: start, limit: 10, viewer: { sees: 'all' } })).toEqual([])

    await slow.commit()
    expect(await bySeq(naive.at(-1)!.seq)).toEqual([])
    expect((await settled(world, start, 2)).map((found) => found.type)).toEqual(['a', 'b'])
    await write.transaction().execute((tx) => appendEvent(tx, event('c')))
    await app.dispatch({ type: 'security.report', what: 'path_refused', detail: 'wake' }, system)
    await until(() => follower.seen.length === 4)
    // From another version: shown as written.
    expect(follower.seen.map((found) => shownEvent(found).type)).toEqual(['a', 'b', 'c', 'security.reported'])
    expect(follower.seen.map((found) => found.type).slice(0, 3)).toEqual(['unreadable', 'unreadable', 'unreadable'])
  })

  it('sees an older transaction’s event with a higher number, then the younger one’s lower number', async () => {
    await using world = await openWorld('postgres')
    const { read, write } = world.database
    await using older = heldTransaction(write)
    await using younger = heldTransaction(write)
    await sql`select pg_current_xact_id()`.execute(await older.tx)
    const low = await appendEvent(await younger.tx, event('low'))
    const high = await appendEvent(await older.tx, event('high'))
    expect(low.place.seq).toBeLessThan(high.place.seq)
    expect(low.place.tx).toBeGreaterThan(high.place.tx)

    await older.commit()
    const [first] = await settled(world, start)
    expect(first?.type).toBe('high')
    await younger.commit()
    // The horizon does not help a cursor on the number alone: it is already past the lower one.
    const bySeq = await read.selectFrom('events').select('type').where('seq', '>', first!.place.seq).execute()
    expect(bySeq).toEqual([])
    expect((await settled(world, first!.place)).map((found) => found.type)).toEqual(['low'])
  })

  const each = scale({ test: 20, long: 100 })
  it(
    `misses none of ${20 * each} events by 20 writers on two nodes, and sees each session in order`,
    { timeout: 120_000 },
    async () => {
      await using world = await openWorld('postgres')
      const other = await world.join({ poolSize: 10 })
      const ann = await world.person()
      const sessions = await Promise.all(Array.from({ length: 5 }, () => world.session(ann)))
      const followers = [collector('here', { from: 'start' }), collector('there', { from: 'start' })] as const
      await using _here = world.app.follow.run(followers[0])
      await using _there = other.app.follow.run(followers[1])
      const heard: LoggedEvent[] = []
      using _listening = other.app.tail.listen((events) => void heard.push(...events))

      const written: string[] = []
      const inOrder = new Map<SessionId, string[]>(sessions.map((id) => [id, []]))
      const write = async (app: App, writer: number) => {
        for (let i = 0; i < each; i += 1) {
          const sessionId = sessions[(writer + i) % sessions.length]!
          const content = { type: 'text' as const, text: `${writer} ${i}` }
          const result = await app.dispatch({ type: 'message.add', id: newId(), sessionId, role: 'user', content }, ann)
          if (!result.ok) throw new Error(result.fault.message)
          written.push(...idsOf(result.value.events))
        }
      }
      await Promise.all(Array.from({ length: 20 }, (_, i) => write(i % 2 === 0 ? world.app : other.app, i)))
      expect(written).toHaveLength(20 * each)

      const messages = (events: readonly LoggedEvent[]) => events.filter((found) => found.type === 'message.added')
      await until(
        () => followers.every(({ seen }) => messages(seen).length >= 20 * each) && messages(heard).length >= 20 * each,
      )
      const rows = await world.database.read
        .selectFrom('messages')
        .select(['id', 'session_id'])
        .orderBy('seq')
        .execute()
      for (const row of rows) inOrder.get(row.session_id)?.push(row.id)
      for (const seen of [followers[0].seen, followers[1].seen, heard]) {
        expect(idsOf(messages(seen)).toSorted()).toEqual(written.toSorted())
        seen.slice(1).forEach((found, i) => expect(comparePlaces(seen[i]!.place, found.place)).toBeLessThan(0))
        for (const id of sessions)
          expect(
            messages(seen)
              .filter((found) => found.sessionId === id)
              .map((found) => found.data.id),
          ).toEqual(inOrder.get(id))
      }
    },
  )
})

const detailOf = (event: LoggedEvent) => (event.type === 'security.reported' ? event.data.detail : '')

describe('nodes of one PostgreSQL', () => {
  const say = (app: App, detail: string) =>
    app.dispatch({ type: 'security.report', what: 'path_refused', detail }, system)

  it('wake each other, and reconnect after losing the connection used for it', async () => {
    await using world = await openWorld('postgres')
    const other = await world.join()
    const heard: [unknown, number][] = []
    using _ = other.app.tail.listen((events) => {
      for (const found of events) heard.push([detailOf(found), performance.now()])
    })
    const medianWait = async () => {
      const waited: number[] = []
      for (let i = 0; i < 20; i += 1) {
        const told = performance.now()
        const at = heard.length
        await say(world.app, `a${at}`)
        await until(() => heard.length === at + 1)
        waited.push(heard[at]![1] - told)
      }
      return waited.toSorted((a, b) => a - b)[10]!
    }
    // By polling once a second the median would be half a second. A busy machine gets a few more tries.
    let median = await medianWait()
    for (let tries = 1; tries < 5 && median >= 250; tries += 1) median = await medianWait()
    expect(median).toBeLessThan(250)
    const heardBefore = heard.length

    const listeners = async () =>
      (
        await sql<{ pid: number }>`select pid from pg_stat_activity where application_name = 'signalbox listener'
        and datname = current_database()`.execute(world.database.read)
      ).rows.map((row) => row.pid)
    const before = await listeners()
    expect(before).toHaveLength(2)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'signalbox listener' and datname = current_database()`.execute(world.database.read)
    await say(world.app, 'meanwhile')
    await until(() => heard.some(([detail]) => detail === 'meanwhile'))
    await until(async () => {
      const now = await listeners()
      return now.length === 2 && now.every((pid) => !before.includes(pid))
    })
    await say(world.app, 'after')
    await until(() => heard.some(([detail]) => detail === 'after'))
    expect(heard).toHaveLength(heardBefore + 2)
  })

  it('recover when the connections of their pool are cut', async () => {
    await using world = await openWorld('postgres')
    await say(world.app, 'before')
    const admin = new pg.Client({ connectionString: world.place })
    await admin.connect()
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await admin.end()
    const follower = collector('all')
    await using _ = world.app.follow.run(follower)
    await until(async () => (await say(world.app, 'after')).ok)
    await until(() => follower.seen.some((found) => detailOf(found) === 'after'))
    expect(follower.seen.map(detailOf)[0]).toBe('before')
  })
})
