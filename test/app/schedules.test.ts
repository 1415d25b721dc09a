import { expect, it } from 'vitest'
import type { ScheduleId } from '../../src/domain/schedule/schema.ts'
import { newId } from '../../src/lib/id.ts'
import { ok } from '../../src/lib/result.ts'
import { describeBoth, newSession, until, workRepo } from '../world.ts'
import { armed, ended, finish, hour, minute, plan, recorded, runs, serve, started, state } from './schedules-harness.ts'

describeBoth('C8 schedules', (open) => {
  it('runs at each due time as its creator, and ends the session with its turn', async () => {
    await using world = await open()
    await using server = serve(world)
    const ann = await world.person()
    const id = await plan(world, ann, { cron: '0 * * * *', name: 'Hourly' })
    for (const at of [1, 2, 3]) {
      await armed(world, Date.parse('2030-01-01T00:00:00Z') + at * hour)
      world.clock.advance(hour)
      const [newest] = await started(world, id, at)
      if (!newest?.sessionId) throw new Error('no session')
      const session = await world.app.read.session(
        { actor: ann, grants: [], memberOf: [], unknown: false },
        newest.sessionId,
      )
      expect(session).toMatchObject({
        ok: true,
        value: { ownerUserId: ann.userId, prompt: 'Look around', metadata: { scheduleId: id } },
      })
      await finish(world, newest.sessionId)
      await ended(world, id, at)
    }
    const all = await runs(world, id)
    expect(all.map(({ dueAt, status, trigger }) => [dueAt, status, trigger])).toEqual([
      ['2030-01-01T03:00:00.000Z', 'completed', 'due'],
      ['2030-01-01T02:00:00.000Z', 'completed', 'due'],
      ['2030-01-01T01:00:00.000Z', 'completed', 'due'],
    ])
    expect(server.starts).toHaveLength(3)
    expect(new Set(server.starts).size).toBe(3)
    const sessions = await world.database.read.selectFrom('sessions').select('status').execute()
    expect(sessions.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    expect(await state(world, id)).toMatchObject({ nextAt: '2030-01-01T04:00:00.000Z', failuresInARow: 0 })
  })

  it.each([
    { missed: 'skip', expected: [['2030-01-01T03:00:00.000Z', 'skipped', 3]] },
    { missed: 'once', expected: [['2030-01-01T03:00:00.000Z', 'completed', 3]] },
    {
      missed: 'all',
      expected: [
        ['2030-01-01T01:00:00.000Z', 'completed', 1],
        ['2030-01-01T02:00:00.000Z', 'completed', 1],
        ['2030-01-01T03:00:00.000Z', 'completed', 1],
      ],
    },
  ])('no server over three due times: $missed', async ({ missed, expected }) => {
    await using world = await open()
    const ann = await world.person()
    const id = await plan(world, ann, { cron: '0 * * * *', missed })
    world.clock.advance(3.5 * hour)
    await using _server = serve(world)
    const done = new Set<string>()
    const all = await until(async () => {
      for (const { sessionId, status } of await runs(world, id))
        if (sessionId !== null && status === 'running' && !done.has(sessionId)) {
          done.add(sessionId)
          await finish(world, sessionId)
        }
      const found = await runs(world, id)
      return found.length === expected.length && found.every(({ endedAt }) => endedAt !== null) ? found : null
    })
    const shown = all.map(({ dueAt, status, missed: count }) => [dueAt, status, count])
    expect(shown.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual(expected)
    expect(all.every(({ trigger }) => trigger === 'missed')).toBe(true)
    expect(await state(world, id)).toMatchObject({ nextAt: '2030-01-01T04:00:00.000Z', status: 'active' })
  })

  it('a single time runs once and is done, even if no server was running then', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await plan(world, ann, { at: '2030-01-01T08:00', timeZone: 'Europe/Berlin' })
    expect(await state(world, id)).toMatchObject({ nextAt: '2030-01-01T07:00:00.000Z', missed: 'once' })
    world.clock.advance(24 * hour)
    await using server = serve(world)
    const [run] = await started(world, id)
    expect(run).toMatchObject({ trigger: 'missed', dueAt: '2030-01-01T07:00:00.000Z' })
    expect(await state(world, id)).toMatchObject({ status: 'done', nextAt: null })
    expect(server.starts).toHaveLength(1)
  })

  it('overlap skip leaves one out, and queue lets it wait', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const skipping = await plan(world, ann, { cron: '0 * * * *' })
    const queueing = await plan(world, ann, { cron: '0 * * * *', overlap: 'queue' })
    await armed(world, Date.parse('2030-01-01T01:00:00Z'))
    world.clock.advance(hour)
    await started(world, skipping)
    const [first] = await started(world, queueing)
    await armed(world, Date.parse('2030-01-01T02:00:00Z'))
    world.clock.advance(hour)
    const two = await recorded(world, skipping, 2)
    expect(two[0]).toMatchObject({ status: 'skipped', reason: 'The last run had not ended.' })
    expect(two[1]).toMatchObject({ status: 'running' })
    const waiting = await recorded(world, queueing, 2)
    expect(waiting.map(({ status }) => status)).toEqual(['pending', 'running'])
    if (first?.sessionId) await finish(world, first.sessionId)
    const both = await started(world, queueing, 2)
    expect(both.map(({ status }) => status)).toEqual(['running', 'completed'])
  })

  it('pause and resume: nothing that was due meanwhile runs, except by policy', async () => {
    await using world = await open()
    await using server = serve(world)
    const ann = await world.person()
    const id = await plan(world, ann, { cron: '0 * * * *' })
    const once = await plan(world, ann, { cron: '30 * * * *', missed: 'once' })
    for (const one of [id, once]) await world.do({ type: 'schedule.pause', id: one }, ann)
    await world.do({ type: 'schedule.pause', id }, ann)
    world.clock.advance(5 * hour + 20_000)
    expect(await runs(world, id)).toEqual([])
    await world.do({ type: 'schedule.resume', id }, ann)
    expect((await runs(world, id))[0]).toMatchObject({ status: 'skipped', missed: 5, trigger: 'missed' })
    expect(await state(world, id)).toMatchObject({ status: 'active', nextAt: '2030-01-01T06:00:00.000Z' })
    expect(server.starts).toEqual([])
    await world.do({ type: 'schedule.resume', id: once }, ann)
    await started(world, once)
    expect(server.starts).toHaveLength(1)
  })

  it('what waits does not start while it is paused', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await plan(world, ann, { cron: '0 * * * *', missed: 'all' })
    world.clock.advance(2.5 * hour)
    await world.do({ type: 'schedule.fall_due', id })
    await world.do({ type: 'schedule.pause', id }, ann)
    await using server = serve(world)
    const now = await plan(world, ann, { every: '1h' })
    await world.do({ type: 'schedule.run_now', id: now, runId: newId() }, ann)
    await started(world, now)
    expect(server.starts).toHaveLength(1)
    expect((await runs(world, id)).map(({ status }) => status)).toEqual(['pending', 'pending'])
    await world.do({ type: 'schedule.resume', id }, ann)
    await started(world, id)
  })

  it('a prompt that moved to the session that continues the first one ends with its turn there', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const sessionId = await world.session(ann, { protocolMode: 'acp', repoId: workRepo.id, agent: 'practice' })
    const id = await plan(world, ann, { every: '1h', session: 'same', sessionId, repoId: null })
    await world.do({ type: 'schedule.run_now', id, runId: newId() }, ann)
    await started(world, id)
    const next = newSession(ann, { protocolMode: 'acp', repoId: workRepo.id, agent: 'practice' })
    await world.do({ type: 'session.start', session: next, active: true, restartOf: sessionId }, ann)
    await finish(world, next.id)
    expect(await ended(world, id, 1)).toMatchObject([{ status: 'completed' }])
  })

  it('run now leaves the due times alone', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const id = await plan(world, ann, { every: '2h' })
    const runId = newId<never>()
    await world.do({ type: 'schedule.run_now', id, runId }, ann)
    await world.do({ type: 'schedule.run_now', id, runId }, ann)
    const [run] = await started(world, id)
    expect(run).toMatchObject({ trigger: 'manual' })
    expect(await world.refused({ type: 'schedule.run_now', id, runId: newId() }, ann)).toMatchObject({
      code: 'run_in_progress',
    })
    expect(await state(world, id)).toMatchObject({ nextAt: '2030-01-01T02:00:00.000Z' })
    if (run?.sessionId) await finish(world, run.sessionId, 'failed')
    expect(await ended(world, id, 1)).toMatchObject([{ status: 'failed', reason: 'The turn was not finished.' }])
    expect(await state(world, id)).toMatchObject({ failuresInARow: 1, status: 'active' })
  })

  it('a full server: the run waits for a slot', async () => {
    await using world = await open()
    await using server = serve(world)
    const ann = await world.person()
    server.refuse({ kind: 'limited', code: 'too_many_sessions', message: 'Full.' })
    const id = await plan(world, ann, { every: '1h' })
    await world.do({ type: 'schedule.run_now', id, runId: newId() }, ann)
    await armed(world, world.clock.now() + 15_000)
    expect((await runs(world, id))[0]).toMatchObject({ status: 'pending' })
    server.refuse(null)
    world.clock.advance(15_000)
    await started(world, id)
    expect(server.starts).toHaveLength(1)
  })

  it('a prompt to the same session, which is continued if it has ended', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const sessionId = await world.session(ann, { protocolMode: 'acp', repoId: workRepo.id, agent: 'practice' })
    const id = await plan(world, ann, { every: '1h', session: 'same', sessionId, repoId: null })
    await world.do({ type: 'schedule.run_now', id, runId: newId() }, ann)
    expect(await started(world, id)).toMatchObject([{ sessionId, status: 'running' }])
    await finish(world, sessionId)
    await ended(world, id, 1)
    const still = await world.database.read
      .selectFrom('sessions')
      .select('status')
      .where('id', '=', sessionId)
      .execute()
    expect(still).toEqual([{ status: 'active' }])
    await world.do({ type: 'session.complete', id: sessionId, reason: null }, ann)
    await world.do({ type: 'schedule.run_now', id, runId: newId() }, ann)
    const [second] = await started(world, id, 2)
    expect(second?.sessionId).not.toBe(sessionId)
    const rows = await world.database.read.selectFrom('sessions').select(['restart_of', 'owner_user_id']).execute()
    expect(rows).toContainEqual({ restart_of: sessionId, owner_user_id: ann.userId })
    expect(await state(world, id)).toMatchObject({ sessionId: second?.sessionId })
  })

  it('a session that is interrupted does not hold up the series', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const id = await plan(world, ann, { every: '1h' })
    await world.do({ type: 'schedule.run_now', id, runId: newId() }, ann)
    const [run] = await started(world, id)
    if (!run?.sessionId) throw new Error('no session')
    await world.do({ type: 'session.interrupt', id: run.sessionId, reason: 'lost' })
    expect(await ended(world, id, 1)).toMatchObject([
      { status: 'failed', reason: 'The session ended: interrupted (lost).' },
    ])
  })

  it('a precheck skips the run, fails it, or adds what it found to the prompt', async () => {
    await using world = await open()
    const said: Record<string, { exitCode: number; stdout: string; timedOut?: boolean }> = {
      no: { exitCode: 3, stdout: 'nothing new\n' },
      quiet: { exitCode: 0, stdout: 'looked\n{"wake": false, "reason": "No new mail."}\n' },
      slow: { exitCode: 1, stdout: '', timedOut: true },
      yes: { exitCode: 0, stdout: '{"wake": true, "data": {"mails": 2}}' },
    }
    await using _server = serve(world, world, async (script) =>
      ok({ stderr: '', timedOut: false, ...(said[script] ?? { exitCode: 0, stdout: '' }) }),
    )
    const ann = await world.person()
    const outcome = async (precheck: string) => {
      const id = await plan(world, ann, { every: '1h', precheck })
      await world.do({ type: 'schedule.run_now', id, runId: newId() }, ann)
      return until(async () => (await runs(world, id)).find(({ status }) => status !== 'pending'))
    }
    expect(await outcome('no')).toMatchObject({
      status: 'skipped',
      reason: 'The precheck ended with exit code 3: nothing new',
    })
    expect(await outcome('quiet')).toMatchObject({ status: 'skipped', reason: 'No new mail.' })
    expect(await outcome('slow')).toMatchObject({ status: 'failed', reason: 'The precheck took too long.' })
    const ran = await outcome('yes')
    expect(ran).toMatchObject({ status: 'running' })
    const prompts = await world.database.read.selectFrom('sessions').select('prompt').execute()
    expect(prompts).toEqual([{ prompt: 'Look around\n\nThe precheck found:\n{"mails":2}' }])
  })

  it('jitter moves all runs of a schedule by the same amount', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => plan(world, ann, { cron: '0 * * * *', jitterSeconds: 600 })),
    )
    const deadlines = await world.database.read.selectFrom('deadlines').selectAll().execute()
    const dues = deadlines.map(({ due_at: at }) => Date.parse(at) - Date.parse('2030-01-01T01:00:00Z'))
    expect(dues.every((late) => late >= 0 && late <= 10 * minute)).toBe(true)
    expect(new Set(dues).size).toBeGreaterThan(5)
    const [id = newId<ScheduleId>()] = ids
    const first = deadlines.find(({ subject_id: one }) => one === id)?.due_at ?? ''
    await until(() => world.clock.timers().length > 0)
    world.clock.advance(hour + 10 * minute)
    await until(async () => (await runs(world, id)).length === 1)
    const next = await world.database.read.selectFrom('deadlines').selectAll().where('subject_id', '=', id).execute()
    expect(Date.parse(next[0]?.due_at ?? '') - Date.parse(first)).toBe(hour)
    expect((await runs(world, id))[0]).toMatchObject({ dueAt: '2030-01-01T01:00:00.000Z' })
  })

  it('costs one timer at rest, however many there are', async () => {
    await using world = await open()
    const ann = await world.person()
    await Promise.all(Array.from({ length: 50 }, (_, at) => plan(world, ann, { cron: `${at} 5 * * *` })))
    await using _server = serve(world)
    await armed(world, Date.parse('2030-01-01T05:00:00Z'))
    expect(world.clock.timers()).toEqual([Date.parse('2030-01-01T05:00:00Z')])
  })

  it('a run that was cut off is continued by the next server, not started twice', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await plan(world, ann, { cron: '0 * * * *' })
    await using first = serve(world)
    await armed(world, Date.parse('2030-01-01T01:00:00Z'))
    world.clock.advance(hour)
    const [run] = await started(world, id)
    await first[Symbol.asyncDispose]()
    // As if it had been killed between the session's start and its record.
    await world.database.write
      .updateTable('schedule_runs')
      .set({ status: 'pending', session_id: null, started_at: null })
      .execute()
    await using second = serve(world)
    expect(await started(world, id)).toMatchObject([{ id: run?.id, sessionId: run?.sessionId }])
    expect(second.starts).toEqual([])
    if (run?.sessionId) await finish(world, run.sessionId)
    expect(await ended(world, id, 1)).toMatchObject([{ status: 'completed' }])
  })
})
