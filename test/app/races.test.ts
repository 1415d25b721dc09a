import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createDispatch, type Dispatch } from '../../src/app/dispatch.ts'
import type { Answer } from '../../src/domain/ask/answer.ts'
import type { AskId } from '../../src/domain/ask/schema.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { describeBoth, newSession, openWorld, type World } from '../world.ts'
import { inParallel } from './in-parallel.ts'
import { answers, subjects } from './samples.ts'
import { scale } from '../support/scale.ts'

const races = scale({ test: 60, long: 1000 })

describeBoth('three answers at once', (open, kind) => {
  it(`to each of ${races} asks: one wins, and the other two are told who`, async () => {
    await using world = await open()
    const people = [await world.person('Ann'), await world.person('Bea'), await world.person('Cem')] as const
    const sessions = await Promise.all(
      Array.from({ length: scale({ test: 5, long: 25 }) }, () => world.session(people[0])),
    )
    for (const id of sessions)
      for (const { userId } of people.slice(1)) await world.do({ type: 'session.delegate', id, userId }, people[0])
    const nodes: Dispatch[] = [world.app.dispatch]
    if (kind === 'postgres') nodes.push((await world.join()).app.dispatch)
    const asks: AskId[] = []
    await inParallel(Array.from({ length: races }).keys(), 8, async (i) => {
      asks.push(await world.ask(sessions[i % sessions.length]!, { subject: subjects.diff }))
    })
    const won = new Map<string, string>()
    await inParallel(asks.values(), 8, async (id) => {
      const given: Answer[] = [answers.approve, answers.reject, answers.approve]
      const results = await Promise.all(
        people.map((person, i) => nodes[i % nodes.length]!({ type: 'ask.answer', id, answer: given[i]! }, person)),
      )
      const winner = results.findIndex((result) => result.ok)
      const by = `user:${people[winner]?.userId}`
      won.set(id, by)
      const told = { kind: 'conflict', code: 'already_answered', details: { answeredBy: by, status: 'answered' } }
      const faults = results.flatMap((result) => (result.ok ? [] : [result.fault]))
      expect(faults).toMatchObject([told, told])
    })
    const rows = await world.database.read.selectFrom('asks').select(['id', 'answered_by']).execute()
    expect(new Map(rows.map((row) => [row.id, row.answered_by]))).toEqual(won)
    const answered = await world.database.read
      .selectFrom('events')
      .select('id')
      .where('type', '=', 'ask.answered')
      .execute()
    expect(answered).toHaveLength(races)
  })
})

describeBoth('the session limit', (open, kind) => {
  it('is exact with 50 simultaneous starts, and a freed slot is one slot', async () => {
    await using world = await open()
    world.settings = { ...world.settings, limits: { mcp: 7, acp: 5, terminal: Number.MAX_SAFE_INTEGER } }
    const ann = await world.person()
    const other = kind === 'postgres' ? (await world.join()).app : world.app
    const start = (i: number) =>
      (i % 2 === 0 ? world.app : other).dispatch(
        { type: 'session.start', session: newSession(ann), active: i % 3 === 0, restartOf: null },
        ann,
      )
    const results = await Promise.all(Array.from({ length: 50 }, (_, i) => start(i)))
    const started = results.flatMap((result) => (result.ok ? [result.value.subject] : []))
    expect(started).toHaveLength(7)
    const codes = results.flatMap((result) => (result.ok ? [] : [`${result.fault.kind} ${result.fault.code}`]))
    expect(codes).toEqual(Array(43).fill('limited session_limit'))

    // Two are interrupted; both return while ten others want their slots.
    const lost = await world.database.read.selectFrom('sessions').select('id').limit(2).execute()
    for (const { id } of lost) await world.do({ type: 'session.interrupt', id, reason: null })
    const race = await Promise.all([
      ...lost.map(({ id }) => other.dispatch({ type: 'session.recover', id, reason: null }, ann)),
      ...Array.from({ length: 10 }, (_, i) => start(i)),
    ])
    expect(race.filter((result) => result.ok)).toHaveLength(2)
    expect(await slots(world)).toBe(7)
  })

  it('for one protocol does not affect the others', async () => {
    await using world = await open()
    world.settings = { ...world.settings, limits: { mcp: 1, acp: 2, terminal: 0 } }
    const ann = await world.person()
    const modes = (['mcp', 'acp', 'terminal'] as const).flatMap((mode) => Array<typeof mode>(4).fill(mode))
    const results = await Promise.all(
      modes.map((protocolMode) =>
        world.app.dispatch(
          { type: 'session.start', session: newSession(ann, { protocolMode }), active: true, restartOf: null },
          ann,
        ),
      ),
    )
    const started = modes.filter((_, i) => results[i]?.ok)
    expect(started).toEqual(['mcp', 'acp', 'acp', 'terminal', 'terminal', 'terminal', 'terminal'])
  })
})

const slots = async ({ database }: World): Promise<number> =>
  Number(
    (
      await sql<{ n: number }>`select count(*) as n from sessions
        where protocol_mode = 'mcp' and status in ('created', 'active', 'paused')`.execute(database.read)
    ).rows[0]?.n,
  )

describe('sessions of one owner on PostgreSQL', () => {
  it('change in opposite directions at once without a deadlock', async () => {
    await using world = await openWorld('postgres')
    const { database, clock } = world
    const faults: unknown[] = []
    const isTransient = (error: unknown) => {
      faults.push(error instanceof Error && 'code' in error ? error.code : error)
      return database.flavor.isTransient(error)
    }
    const dispatch = createDispatch({
      database: { ...database, flavor: { ...database.flavor, isTransient } },
      clock,
      settings: () => world.settings,
      log: silentLogger,
      committed() {},
    })
    const ann = await world.person()
    const sessions = await Promise.all(Array.from({ length: 8 }, () => world.session(ann)))
    await Promise.all(
      sessions.map(async (id, i) => {
        if (i % 2 === 0) await dispatch({ type: 'session.pause', id, reason: null }, ann)
        for (let round = 0; round < 8; round += 1) {
          const type = (i + round) % 2 === 0 ? 'session.resume' : 'session.pause'
          expect(await dispatch({ type, id, reason: null }, ann)).toMatchObject({ ok: true })
        }
      }),
    )
    expect(faults).toEqual([])
  })
})
