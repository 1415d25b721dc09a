import { expect, it } from 'vitest'
import type { Change } from '../../../src/app/command.ts'
import { deadlineKinds } from '../../../src/app/slices.ts'
import type { AskId } from '../../../src/domain/ask/schema.ts'
import { startDeadlines } from '../../../src/edges/clock/deadlines.ts'
import { iso } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { answers, subjects } from '../../app/samples.ts'
import { describeBoth, until, type Node, type World } from '../../world.ts'

const minute = 60_000
const run = (world: World, graceMs = 0, node: Node = world) =>
  startDeadlines({ app: node.app, clock: world.clock, log: silentLogger, graceMs })

async function statusOf({ database }: World, id: AskId): Promise<string | undefined> {
  return (await database.read.selectFrom('asks').select('status').where('id', '=', id).executeTakeFirst())?.status
}
const becomes = (world: World, id: AskId, status: string) => until(async () => (await statusOf(world, id)) === status)
const armedFor = (world: World, ...times: number[]) =>
  until(() => JSON.stringify(world.clock.timers()) === JSON.stringify(times))
const countOf = async ({ database }: World, type: string) =>
  (await database.read.selectFrom('events').select('id').where('type', '=', type).execute()).length

describeBoth('deadlines', (open, kind) => {
  it('do not expire anything in the first minutes after a start, then expire what is due', async () => {
    await using world = await open()
    const ask = await world.ask(null, { timeoutSeconds: 1 })
    world.clock.advance(minute)
    await using _ = run(world, 5 * minute)
    await armedFor(world, world.clock.now() + 5 * minute)
    world.clock.advance(5 * minute - 1)
    expect(world.clock.timers()).toHaveLength(1)
    expect(await statusOf(world, ask)).toBe('open')
    world.clock.advance(1)
    await becomes(world, ask, 'expired')
  })

  it('wait also for an ask that opens and comes due in that time', async () => {
    await using world = await open()
    const end = world.clock.now() + 5 * minute
    await using _ = run(world, 5 * minute)
    const ask = await world.ask(null, { timeoutSeconds: 10 })
    await armedFor(world, end)
    expect(await statusOf(world, ask)).toBe('open')
    world.clock.advance(5 * minute)
    await becomes(world, ask, 'expired')
  })

  it('use one timer for the earliest, even if an earlier one is added later', async () => {
    await using world = await open()
    await using _ = run(world)
    const start = world.clock.now()
    const late = await world.ask(null, { timeoutSeconds: 3600 })
    await armedFor(world, start + 60 * minute)
    const soon = await world.ask(null, { timeoutSeconds: 60 })
    await armedFor(world, start + minute)
    await world.ask(null, { timeoutSeconds: 0 })
    await world.ask(null, { timeoutSeconds: 1800 })
    world.clock.advance(minute)
    await becomes(world, soon, 'expired')
    await armedFor(world, start + 30 * minute)
    expect(await statusOf(world, late)).toBe('open')
  })

  it('expire many asks that are due at once, each once', async () => {
    await using world = await open()
    const asks = await Promise.all(Array.from({ length: 130 }, () => world.ask(null, { timeoutSeconds: 60 })))
    await using _ = run(world)
    await armedFor(world, world.clock.now() + minute)
    world.clock.advance(2 * minute)
    await until(async () => (await countOf(world, 'ask.expired')) >= asks.length)
    const left = await world.database.read.selectFrom('deadlines').select('subject_id').execute()
    expect(left).toEqual([])
    expect(await countOf(world, 'ask.expired')).toBe(asks.length)
    expect(world.clock.timers()).toEqual([])
  })

  it('survive a restart', async () => {
    await using world = await open()
    const ask = await world.ask(null, { timeoutSeconds: 600 })
    const due = world.clock.now() + 10 * minute
    {
      await using before = await world.join({ nodeId: 'again' })
      await using _ = run(world, 0, before)
      await armedFor(world, due)
    }
    expect(world.clock.timers()).toEqual([])
    world.clock.advance(2 * minute)
    await using after = await world.join({ nodeId: 'again' })
    await using _ = run(world, 5 * minute, after)
    await armedFor(world, due)
    world.clock.advance(8 * minute)
    await becomes(world, ask, 'expired')
  })

  it('do what the kind of ask says: a prompt continues, an error is never answered by timeout', async () => {
    await using world = await open()
    const prompt = await world.ask(null, { subject: subjects.prompt })
    const failed = await world.ask(null, { subject: { ...subjects.prompt, promptType: 'error_recovery' } })
    // It gets no deadline when it opens; if it has one anyway, it is lifted.
    expect(await world.database.read.selectFrom('deadlines').select('subject_id').execute()).toEqual([
      { subject_id: prompt },
    ])
    const dueAt = iso(world.clock.now() + 30 * minute)
    await world.database.write
      .insertInto('deadlines')
      .values({ subject_id: failed, kind: 'ask', due_at: dueAt })
      .execute()
    await world.database.write.updateTable('asks').set({ expires_at: dueAt }).where('id', '=', failed).execute()
    await using _ = run(world)
    await armedFor(world, world.clock.now() + 30 * minute)
    world.clock.advance(30 * minute)
    await until(async () => (await countOf(world, 'ask.expiry_lifted')) === 1)
    await becomes(world, prompt, 'answered')
    const rows = await world.database.read.selectFrom('asks').selectAll().where('id', 'in', [prompt, failed]).execute()
    const found = (id: AskId) => rows.find((row) => row.id === id)
    expect(found(prompt)).toMatchObject({ automatic: 1, answered_by: 'system:clock', answer: '{"outcome":"continue"}' })
    expect(found(failed)).toMatchObject({ status: 'open', expires_at: null, answer: null })
    expect(await world.database.read.selectFrom('deadlines').selectAll().execute()).toEqual([])
  })

  it('of an ask that was answered in time do nothing', async () => {
    await using world = await open()
    const sessionId = await world.session(await world.person())
    const ask = await world.ask(sessionId, { timeoutSeconds: 60 })
    const later = await world.ask(sessionId, { timeoutSeconds: 120 })
    await using _ = run(world)
    await armedFor(world, world.clock.now() + minute)
    await world.do({ type: 'ask.answer', id: ask, answer: answers.approve })
    world.clock.advance(2 * minute)
    await becomes(world, later, 'expired')
    expect(await statusOf(world, ask)).toBe('answered')
    expect(await countOf(world, 'ask.expired')).toBe(1)
  })

  it('on two nodes expire each ask once', async () => {
    await using world = await open()
    const other = kind === 'postgres' ? await world.join() : world
    const asks = await Promise.all(Array.from({ length: 20 }, () => world.ask(null, { timeoutSeconds: 60 })))
    await using _here = run(world)
    await using _there = run(world, 0, other)
    const due = world.clock.now() + minute
    await armedFor(world, due, due)
    world.clock.advance(minute)
    for (const ask of asks) await becomes(world, ask, 'expired')
    await until(() => world.clock.timers().length === 0)
    expect(await countOf(world, 'ask.expired')).toBe(asks.length)
  })

  it('that were stopped do not fire', async () => {
    await using world = await open()
    const ask = await world.ask(null, { timeoutSeconds: 60 })
    {
      await using _ = run(world)
      await armedFor(world, world.clock.now() + minute)
    }
    expect(world.clock.timers()).toEqual([])
    world.clock.advance(60 * minute)
    expect(await statusOf(world, ask)).toBe('open')
  })

  it('of another kind do what that kind says; an unknown kind is logged once and left alone', async () => {
    await using world = await open()
    const { database, clock } = world
    const write = (subject_id: string, kind: string, at: number) =>
      database.write
        .insertInto('deadlines')
        .values({ subject_id, kind, due_at: iso(at) })
        .execute()
    const now = clock.now()
    await write('tea', 'reminder', now)
    await write('x', 'from-the-future', now)
    const ask = await world.ask(null, { timeoutSeconds: 1 })
    const warnings: object[] = []
    const log = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) }
    const reminders = {
      command: (detail: string) => ({ type: 'security.report', what: 'path_refused', detail }) as const,
      setBy: (change: Change) => (change.type === 'session.started' ? iso(now + 10 * minute) : null),
      waitsForPeople: false,
    }
    // Its slice would remove the row in the same transaction.
    const dispatch: typeof world.app.dispatch = async (command, actor) => {
      const done = await world.app.dispatch(command, actor)
      if (command.type === 'security.report')
        await database.write.deleteFrom('deadlines').where('subject_id', '=', command.detail).execute()
      return done
    }
    const app = { ...world.app, dispatch }
    const kinds = { ...deadlineKinds, reminder: reminders }
    await using _ = startDeadlines({ app, clock, log, graceMs: 60 * minute, kinds })
    const reminded = (count: number) => until(async () => (await countOf(world, 'security.reported')) === count)
    // The grace period is for people; a reminder does not wait for it.
    await reminded(1)
    await armedFor(world, now + 60 * minute)
    await write('cake', 'reminder', now + 10 * minute)
    await world.session(await world.person())
    await armedFor(world, now + 10 * minute)
    clock.advance(10 * minute)
    await reminded(2)
    expect(await statusOf(world, ask)).toBe('open')
    await armedFor(world, now + 60 * minute)
    clock.advance(50 * minute)
    await becomes(world, ask, 'expired')
    await until(() => clock.timers().length === 0)
    expect(warnings).toEqual([{ kind: 'from-the-future' }])
    expect(await database.read.selectFrom('deadlines').select('kind').execute()).toEqual([{ kind: 'from-the-future' }])
  })
})
