import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/app/events.ts'
import { LeaseLost } from '../../src/db/leases.ts'
import { postgresLeases } from '../../src/db/postgres-leases.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { openWorld, system, until, type World } from '../world.ts'
import { collector } from './collect.ts'

const report = (detail: string) => ({ type: 'security.report', what: 'path_refused', detail }) as const
const detailOf = (event: LoggedEvent) => (event.type === 'security.reported' ? event.data.detail : '')
const leasesOf = ({ place }: World, nodeId: string) => postgresLeases({ url: place, nodeId, log: silentLogger })
const rowOf = ({ database }: World, name: string) =>
  database.read.selectFrom('leases').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
const cursorOf = ({ database }: World, name: string) =>
  database.read.selectFrom('followers').select(['tx', 'seq']).where('name', '=', name).executeTakeFirst()
const expire = ({ database }: World, name: string) =>
  database.write
    .updateTable('leases')
    .set({ expires_at: '2000-01-01T00:00:00.000Z' })
    .where('name', '=', name)
    .execute()

/** What another node does after the holder was gone too long. */
const steal = ({ database }: World, name: string) =>
  database.write
    .updateTable('leases')
    .set((eb) => ({ holder: 'somebody/else', fence: eb('fence', '+', 1), expires_at: '2999-01-01T00:00:00.000Z' }))
    .where('name', '=', name)
    .execute()

describe('a lease on PostgreSQL', () => {
  it('has one holder; once released or expired, the next holder gets it with a higher fence', async () => {
    await using world = await openWorld('postgres')
    await using a = await leasesOf(world, 'a')
    await using b = await leasesOf(world, 'b')
    const first = await a.acquire('one')
    expect(first).not.toBeNull()
    expect(await b.acquire('one')).toBeNull()
    // Leases with other names are free.
    expect(await b.acquire('two')).not.toBeNull()
    await first?.[Symbol.asyncDispose]()
    expect(first?.lost.aborted).toBe(true)
    const second = await b.acquire('one')
    expect(second).not.toBeNull()
    expect(await rowOf(world, 'one')).toMatchObject({ fence: 2, holder: expect.stringMatching(/^b\//) })
    await expire(world, 'one')
    expect(await a.acquire('one')).not.toBeNull()
    expect(await rowOf(world, 'one')).toMatchObject({ fence: 3 })
  })

  it('is free at once for the same node after a restart, but not later for a copy of it', async () => {
    await using world = await openWorld('postgres')
    await using killed = await leasesOf(world, 'a')
    await killed.acquire('one')
    await using restarted = await leasesOf(world, 'a')
    expect(await restarted.acquire('one')).not.toBeNull()
    expect(await killed.acquire('one')).toBeNull()
  })

  it('is renewed while its holder is alive, and lost if it can’t be renewed', async () => {
    await using world = await openWorld('postgres')
    const times = { leaseMs: 1000, renewMs: 50, retryMs: 50 }
    await using a = await postgresLeases({ url: world.place, nodeId: 'a', log: silentLogger, times })
    const lease = await a.acquire('one')
    const { expires_at } = await rowOf(world, 'one')
    await until(async () => (await rowOf(world, 'one')).expires_at > expires_at)
    expect(lease?.lost.aborted).toBe(false)
    await steal(world, 'one')
    await until(() => lease?.lost.aborted)
  })

  it('that moved to another node blocks writes of the old holder, even if that one has not noticed', async () => {
    await using world = await openWorld('postgres')
    await using a = await leasesOf(world, 'a')
    const lease = await a.acquire('one')
    await steal(world, 'one')
    expect(lease?.lost.aborted).toBe(false)
    const writing = world.app.dispatch(report('late'), system, { guard: lease!.guard })
    await expect(writing).rejects.toThrow(LeaseLost)
    expect(lease?.lost.aborted).toBe(true)
    expect(await world.database.read.selectFrom('events').select('type').execute()).toEqual([])
  })

  it('does not move while a guarded transaction is running', async () => {
    await using world = await openWorld('postgres')
    await using a = await leasesOf(world, 'a')
    await using b = await leasesOf(world, 'b')
    const lease = await a.acquire('one')
    await expire(world, 'one')
    let next: Promise<unknown> | undefined
    await world.database.write.transaction().execute(async (tx) => {
      await lease!.guard(tx)
      next = b.acquire('one')
      await until(async () => {
        const waiting = sql<{ n: number }>`select count(*) as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into leases%'`
        return (await waiting.execute(world.database.read)).rows[0]?.n === 1
      })
      expect((await rowOf(world, 'one')).fence).toBe(1)
    })
    expect(await next).not.toBeNull()
    expect((await rowOf(world, 'one')).fence).toBe(2)
  })
})

describe('a single follower of two nodes on PostgreSQL', () => {
  it('handles each event once, and continues on the other node where the first one stopped', async () => {
    await using world = await openWorld('postgres')
    const seen: string[] = []
    const handle = (event: LoggedEvent) => void seen.push(detailOf(event))
    await using a = await leasesOf(world, 'a')
    await using b = await leasesOf(world, 'b')
    const one = await world.join({ leases: a })
    const two = await world.join({ leases: b })
    const first = one.app.follow.run(collector('worker', { scope: 'single', handle }))
    await until(() => cursorOf(world, 'worker'))
    await using _second = two.app.follow.run(collector('worker', { scope: 'single', handle }))
    const all = Array.from({ length: 20 }, (_, i) => String(i))
    for (const detail of all) await (Number(detail) % 2 ? one : two).app.dispatch(report(detail), system)
    await until(() => seen.length >= all.length)
    await first[Symbol.asyncDispose]()
    await two.app.dispatch(report('last'), system)
    await until(() => seen.includes('last'))
    expect(seen).toEqual([...all, 'last'])
    expect(await rowOf(world, 'worker')).toMatchObject({ fence: 2, holder: expect.stringMatching(/^b\//) })
  })

  it('that was replaced in the middle of an event writes no change, no place and no dead letter', async () => {
    await using world = await openWorld('postgres')
    await using a = await leasesOf(world, 'a')
    const node = await world.join({ leases: a, patience: { attempts: 1, firstMs: 1, longestMs: 1 } })
    const reached = Promise.withResolvers<void>()
    const replaced = Promise.withResolvers<void>()
    const refused = Promise.withResolvers<unknown>()
    let fails = false
    await using _ = node.app.follow.run({
      name: 'worker',
      scope: 'single',
      from: 'start',
      async handle(_event, guard) {
        reached.resolve()
        await replaced.promise
        if (fails) throw new Error('would be put aside')
        await node.app.dispatch(report('late'), system, { guard }).catch((error: unknown) => {
          refused.resolve(error)
          fails = true
          throw error
        })
      },
    })
    await world.do(report('x'))
    await reached.promise
    const before = await cursorOf(world, 'worker')
    await steal(world, 'worker')
    replaced.resolve()
    expect(await refused.promise).toBeInstanceOf(LeaseLost)
    // It waits for its lease again: the current holder releases it, and the event is handled again.
    expect(await cursorOf(world, 'worker')).toEqual(before)
    expect(await node.app.follow.deadLetters()).toEqual([])
    await expire(world, 'worker')
    await until(async () => (await node.app.follow.deadLetters()).length === 1)
    const written = await world.database.read.selectFrom('events').select('data').execute()
    expect(written.filter(({ data }) => data.includes('late'))).toEqual([])
  })
})
