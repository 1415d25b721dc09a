import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { forgetEvents } from '../../src/domain/audit/store.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, newAsk, newSession, openWorld, system, type World } from '../world.ts'
import { answers } from './samples.ts'

const at = '2030-01-01T00:00:00.000Z'
const run = (world: World, statement: string) => sql.raw(statement).execute(world.database.write)
const expectRefused = (world: World, statement: string, why: RegExp) =>
  expect(run(world, statement), statement).rejects.toThrow(why)

describeBoth('what the database itself enforces', (open, kind) => {
  it('owner, protocol and thread of a session never change; a thread can still be set once', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const session = newSession(ann, { threadTs: null })
    await world.do({ type: 'session.start', session, active: true, restartOf: null }, ann)
    const set = (what: string) => `update sessions set ${what} where id = '${session.id}'`
    await expectRefused(world, set(`owner_user_id = '${bea.userId}'`), /never change/)
    await expectRefused(world, set(`protocol_mode = 'acp'`), /never change/)
    await run(world, set(`thread_ts = '1.2'`))
    await run(world, set(`thread_ts = '1.2', owner_user_id = owner_user_id`))
    await expectRefused(world, set(`thread_ts = '1.3'`), /never change/)
    await expectRefused(world, set('thread_ts = null'), /never change/)
  })

  it('one open approval of a session at a time, through the two ways that require it', async () => {
    await using world = await open()
    const ann = await world.person()
    const [one, two] = [await world.session(ann), await world.session(ann)]
    await world.ask(one, { origin: 'ask_approval' })
    const insert = (session: string, origin: string, status = 'open') =>
      `insert into asks (id, session_id, kind, origin, title, status, subject, created_at)
       values ('${newId()}', '${session}', 'diff', '${origin}', 'x', '${status}', '{}', '${at}')`
    await expectRefused(world, insert(one, 'ask_approval'), /unique/i)
    await expectRefused(world, insert(one, 'clearance/request'), /unique/i)
    await run(world, insert(one, 'acp'))
    await run(world, insert(one, 'ask_approval', 'expired'))
    await run(world, insert(two, 'clearance/request'))
    expect(await world.refused({ type: 'ask.open', ask: newAsk(one, { origin: 'clearance/request' }) })).toMatchObject({
      code: 'approval_pending',
    })
  })

  it('an ask is answered if and only if it has an answer', async () => {
    await using world = await open()
    const id = await world.ask(null)
    await expectRefused(world, `update asks set status = 'answered' where id = '${id}'`, /check/i)
    await expectRefused(world, `update asks set answer = '{}' where id = '${id}'`, /check/i)
    await expectRefused(world, `update asks set status = 'asleep' where id = '${id}'`, /check/i)
    await expectRefused(world, `update asks set needed = 0 where id = '${id}'`, /check/i)
  })

  it('one active alert per session at a time', async () => {
    await using world = await open()
    const session = await world.session(await world.person())
    const alert = (status: string) =>
      `insert into stall_alerts (id, session_id, last_activity_at, idle_seconds, status, created_at)
       values ('${newId()}', '${session}', '${at}', 60, '${status}', '${at}')`
    await run(world, alert('pending'))
    await expectRefused(world, alert('nudged'), /unique/i)
    await run(world, alert('dismissed'))
    await run(world, `update stall_alerts set status = 'escalated' where status = 'pending'`)
    await run(world, alert('nudged'))
  })

  it('the owner role is global, and nobody holds a role twice', async () => {
    await using world = await open()
    const { userId } = await world.person()
    const group = newId<AgentGroupId>()
    await run(world, `insert into agent_groups (id, name, folder, created_at) values ('${group}', 'g', 'g', '${at}')`)
    const grant = (role: string, scope: string) =>
      `insert into user_roles (user_id, role, agent_group_id, granted_at) values ('${userId}', '${role}', ${scope}, '${at}')`
    await expectRefused(world, grant('owner', `'${group}'`), /check/i)
    await expectRefused(world, grant('boss', 'null'), /check/i)
    await run(world, grant('owner', 'null'))
    await expectRefused(world, grant('owner', 'null'), /unique/i)
    await run(world, grant('admin', 'null'))
    await run(world, grant('admin', `'${group}'`))
    await expectRefused(world, grant('admin', `'${group}'`), /unique/i)
    await expectRefused(world, grant('admin', 'null'), /unique/i)
  })

  it('foreign keys are on', async () => {
    await using world = await open()
    const session = await world.session(await world.person())
    await expectRefused(world, `insert into session_delegates values ('${session}', 'nobody', '${at}')`, /foreign key/i)
    await expectRefused(
      world,
      `insert into messages (id, session_id, role, content, timestamp) values ('m', 'no', 'user', '{}', '${at}')`,
      /foreign key/i,
    )
    await expectRefused(world, `delete from users`, /foreign key/i)
  })

  it('events are append-only, except for retention', async () => {
    await using world = await open()
    await world.person('Ann')
    world.clock.advance(60_000)
    await world.person('Bea')
    const before = (await world.tables())['events']
    await expectRefused(world, `update events set actor = 'user:nobody'`, /append-only/)
    await expectRefused(world, 'delete from events', /append-only/)
    if (kind === 'postgres') await expectRefused(world, 'truncate events', /append-only/)
    if (kind === 'postgres') await expectRefused(world, 'truncate events cascade', /append-only/)
    expect((await world.tables())['events']).toEqual(before)

    const edge = '2030-01-01T00:00:30.000Z'
    await world.database.write.transaction().execute((tx) => forgetEvents(tx, edge))
    const kept = await world.database.read.selectFrom('events').select('at').execute()
    expect(kept).toEqual([{ at: '2030-01-01T00:01:00.000Z' }])
    expect((await world.tables())['retention_pass']).toEqual([])
    await expectRefused(world, 'delete from events', /append-only/)
  })

  it('even retention does not remove anything younger than it says', async () => {
    await using world = await open()
    await world.person()
    await run(world, `insert into retention_pass values ('2029-12-31T00:00:00.000Z')`)
    await expectRefused(world, 'delete from events', /append-only/)
  })

  it('the session tally equals the count', async () => {
    await using world = await open()
    const people = [await world.person('Ann'), await world.person('Bea')] as const
    const sessions = await Promise.all([...people, ...people].map((person) => world.session(person)))
    await world.do({ type: 'session.pause', id: sessions[0]!, reason: null })
    await world.do({ type: 'session.cancel', id: sessions[1]!, reason: null })
    const counted =
      await sql`select protocol_mode, status, agent_phase, owner_user_id, coalesce(repo_id, '') as repo_id, count(*) as n
      from sessions group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`.execute(world.database.read)
    const tally = await sql`select * from session_tally where n <> 0 order by 1, 2, 3, 4, 5`.execute(
      world.database.read,
    )
    expect(tally.rows).toEqual(counted.rows)
  })
})

describe('SQLite', () => {
  it('a commit is visible to the reading connection at once, and nothing before it', async () => {
    await using world = await openWorld('sqlite')
    const { read, write } = world.database
    const count = async () => (await read.selectFrom('users').select('id').execute()).length
    const release = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const row = { id: newId<never>(), kind: 'person', display_name: 'Ann', created_at: at, removed_at: null }
    const writing = write.transaction().execute(async (tx) => {
      await tx.insertInto('users').values(row).execute()
      written.resolve()
      await release.promise
    })
    await written.promise
    expect(await count()).toBe(0)
    release.resolve()
    await writing
    expect(await count()).toBe(1)
    await expect(
      read
        .insertInto('users')
        .values({ ...row, id: newId<never>() })
        .execute(),
    ).rejects.toThrow('not a read')
  })

  it('is opened with a write-ahead log, foreign keys and a busy timeout', async () => {
    await using world = await openWorld('sqlite')
    const pragma = async (name: string) =>
      Object.values(
        (await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(world.database.write)).rows[0] ?? {},
      )[0]
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('foreign_keys')).toBe(1)
    expect(await pragma('busy_timeout')).toBe(50)
  })

  it('a failed transaction does not block the next one', async () => {
    await using world = await openWorld('sqlite')
    const { write } = world.database
    const failing = write.transaction().execute(() => Promise.reject(new Error('no')))
    const next = world.person()
    await expect(failing).rejects.toThrow('no')
    await next
  })
})

describeBoth('votes in the tables', (open) => {
  it('two people are needed, one at a time or at once, and each counts once', async () => {
    await using world = await open()
    const [ann, bea, cem] = [await world.person('Ann'), await world.person('Bea'), await world.person('Cem')]
    const answerers = [ann.userId, bea.userId, cem.userId]
    const asks = await Promise.all(Array.from({ length: 10 }, () => world.ask(null, { needed: 2, answerers })))
    for (const id of asks) {
      const given = await Promise.all(
        [ann, bea, cem, ann].map((who) => world.app.dispatch({ type: 'ask.answer', id, answer: answers.approve }, who)),
      )
      expect(given.filter((result) => result.ok)).toHaveLength(2)
    }
    const found = await world.app.read.asks(await world.app.read.standing(system), { limit: 20 })
    const list = found.ok ? found.value : []
    expect(list.map((ask) => [ask.status, ask.votes.length])).toEqual(asks.map(() => ['answered', 2]))
  })
})
