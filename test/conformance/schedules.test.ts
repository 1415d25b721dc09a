import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { newRepo, openAgentsHarness, type AgentsHarness } from './agents-harness.ts'
import { me, newPerson } from './people.ts'
import { create, over, passed, runsOf, soon, type Schedule } from './schedules-harness.ts'
import type { Session, SessionPage } from './shapes.ts'
import { exportLog } from './work.ts'

const config = [
  '[acp]\nmax_sessions = 1000\n',
  '[agents.nowhere]\ncommand = "no-such-program-anywhere"\nisolation = "none"\n',
].join('\n')

describe('schedules', () => {
  let harness: AgentsHarness
  let repoId = ''
  beforeAll(async () => {
    harness = await openAgentsHarness({ config })
    repoId = (await newRepo(harness)).id
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('C8 a single time runs once, as its creator, with its outcome and cost', async () => {
    const { api } = harness
    const made = await create(api, { at: soon(4000), repoId, name: 'Once', prompt: '/usage 500 0.25\n/say Done.' })
    expect(made).toMatchObject({ status: 'active', name: 'Once', ownerUserId: await me(api), lastRun: null })
    const [run] = await over(api, made, 1)
    expect(run).toMatchObject({ status: 'completed', trigger: 'due', dueAt: made.nextAt, reason: null, costUsd: 0.25 })
    const session = await api.get<Session & { prompt: string }>(`/api/sessions/${run?.sessionId ?? ''}`)
    expect(session).toMatchObject({
      ownerUserId: made.ownerUserId,
      status: 'completed',
      prompt: '/usage 500 0.25\n/say Done.',
    })
    expect(await api.get<Schedule>(`/api/schedules/${made.id}`)).toMatchObject({
      status: 'done',
      nextAt: null,
      upcoming: [],
      lastRun: { status: 'completed' },
    })
    const types = (await exportLog(api)).filter(({ type }) => type.startsWith('schedule.')).map(({ type }) => type)
    expect(types).toEqual([
      'schedule.created',
      'schedule.came_due',
      'schedule.run_queued',
      'schedule.run_started',
      'schedule.run_ended',
    ])
  })

  it('C8 an agent that cannot start: the run fails with the reason, and the series continues', async () => {
    const { api } = harness
    const made = await create(api, { every: '1h', repoId, agent: 'nowhere' })
    for (const count of [1, 2]) {
      await api.post(`/api/schedules/${made.id}/run`)
      const [run] = await over(api, made, count)
      expect(run).toMatchObject({ status: 'failed', trigger: 'manual', sessionId: null })
      expect(run?.reason).toContain('no-such-program-anywhere')
      const now = await api.get<Schedule>(`/api/schedules/${made.id}`)
      expect(now).toMatchObject({ status: 'active', nextAt: made.nextAt, failuresInARow: count })
    }
  })

  it('C8 a turn that fails is a failed run', async () => {
    const { api } = harness
    const made = await create(api, { every: '1h', repoId, prompt: '/crash 7' })
    await api.post(`/api/schedules/${made.id}/run`)
    const [run] = await over(api, made, 1)
    expect(run).toMatchObject({ status: 'failed', sessionId: expect.any(String) })
  })

  it('C8 a precheck runs in the workspace, confined like the agent, and decides', async () => {
    const { api } = harness
    const { id, path } = await newRepo(harness)
    const outside = join(harness.home, 'outside.txt')
    await writeFile(outside, 'unreachable')
    const outcome = async (precheck: string) => {
      const made = await create(api, { every: '1h', repoId: id, precheck })
      await api.post(`/api/schedules/${made.id}/run`)
      const [run] = await over(api, made, 1)
      return run
    }
    expect(await outcome('test -e inbox')).toMatchObject({ status: 'skipped', sessionId: null })
    await writeFile(join(path, 'inbox'), 'a letter')
    expect(await outcome('test -e inbox')).toMatchObject({ status: 'completed' })
    expect(await outcome(`echo '{"wake": false, "reason": "Nothing new."}'`)).toMatchObject({
      status: 'skipped',
      reason: 'Nothing new.',
    })
    const told = await outcome(`echo '{"wake": true, "data": "two letters"}'`)
    const session = await api.get<Session & { prompt: string }>(`/api/sessions/${told?.sessionId ?? ''}`)
    expect(session.prompt).toBe('/say Done.\n\nThe precheck found:\ntwo letters')
    expect(await outcome(`cat ${outside} && exit 0; exit 4`)).toMatchObject({
      status: 'skipped',
      reason: expect.stringContaining('exit code 4'),
    })
    const secrets = await outcome('env | grep -q SIGNALBOX_DATABASE && exit 5; exit 6')
    expect(secrets?.reason).toContain('exit code 6')
  })

  it('C8 the same session gets the prompt, and is continued once it has ended', async () => {
    const { api } = harness
    const first = await harness.start({ repoId, isolation: undefined })
    const made = await create(api, { every: '1h', session: 'same', sessionId: first.id, agent: undefined })
    await api.post(`/api/schedules/${made.id}/run`)
    expect(await over(api, made, 1)).toMatchObject([{ status: 'completed', sessionId: first.id }])
    expect((await harness.detail(first)).status).toBe('active')
    await api.post(`/api/sessions/${first.id}/complete`)
    await harness.become(first, 'completed')
    await api.post(`/api/schedules/${made.id}/run`)
    const [second] = await over(api, made, 2)
    expect(second).toMatchObject({ status: 'completed' })
    expect(await harness.detail({ id: second?.sessionId ?? '' })).toMatchObject({ restartOf: first.id })
  })

  it('C8 others do not learn that a schedule exists, and what never runs is refused', async () => {
    const { api, server } = harness
    const made = await create(api, { cron: '0 9 29 2 *', timeZone: 'Europe/Berlin', repoId })
    expect((await api.get<Schedule>(`/api/schedules/${made.id}`)).upcoming?.[0]).toBe('2028-02-29T08:00:00.000Z')
    const bob = await newPerson(server, 'Bob')
    expect(await bob.api.refused('GET', `/api/schedules/${made.id}`)).toMatchObject({ status: 404 })
    expect(await bob.api.list('/api/schedules')).toEqual([])
    const never = { prompt: 'x', cron: '0 0 30 2 *', repoId }
    expect(await api.refused('POST', '/api/schedules', never)).toMatchObject({ status: 400, code: 'invalid_schedule' })
    const zone = { prompt: 'x', cron: '0 9 * * *', timeZone: 'Mars/Base', repoId }
    expect(await api.refused('POST', '/api/schedules', zone)).toMatchObject({ status: 400, code: 'invalid_schedule' })
    const paths = { prompt: 'x', every: '1h', workspaceRoot: '/etc' }
    expect(await bob.api.refused('POST', '/api/schedules', paths)).toMatchObject({ status: 403, code: 'needs_machine' })
  })

  it('C8 the command line: add, list, show, pause, resume, run, runs, update, remove', async () => {
    const { server } = harness
    const cli = async (...args: string[]) => {
      const ran = await server.cli('schedules', ...args)
      expect([args.join(' '), ran.code, ran.stderr]).toEqual([args.join(' '), 0, ''])
      return ran.stdout
    }
    const repo = ['--repo', (await harness.api.get<{ path: string }>(`/api/repos/${repoId}`)).path]
    const zone = ['--zone', 'Europe/Berlin']
    const said = await cli('add', '/say From the clock.', '--cron', '30 2 * * *', ...zone, '--name', 'nightly', ...repo)
    expect(said).toContain('Schedule nightly is created')
    expect(await cli()).toMatch(/nightly +30 2 \* \* \* \(Europe\/Berlin\) +active/)
    expect(await cli('show', 'nightly')).toContain('/say From the clock.')
    expect(await cli('pause', 'nightly')).toContain('nightly is paused.')
    expect(await cli('resume', 'nightly')).toContain('nightly runs next at')
    await cli('run', 'nightly')
    const { id } = JSON.parse(await cli('show', 'nightly', '--json')) as Schedule
    await over(harness.api, { id }, 1)
    expect(await cli('runs', 'nightly')).toMatch(/manual +completed/)
    expect(await cli('update', 'nightly', '--every', '2h')).toContain('every 2 hours')
    await cli('remove', 'nightly')
    expect(await cli()).not.toContain('nightly')
    const wrong = await server.cli('schedules', 'add', 'x', '--cron', '0 0 30 2 *', ...repo)
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('This cron line never runs')])
  })
})

describe('a server that was down', () => {
  it.each([
    ['skip', 0, [['skipped', 3]]],
    ['once', 1, [['completed', 3]]],
    [
      'all',
      3,
      [
        ['completed', 1],
        ['completed', 1],
        ['completed', 1],
      ],
    ],
  ] as const)('C8 over three due times: %s starts %i', async (missed, sessions, expected) => {
    await using harness = await openAgentsHarness({ config })
    const { id: repoId } = await newRepo(harness)
    const made = await create(harness.api, { every: '1h', repoId, missed })
    await harness.server.kill()
    passed(harness.server, made, 2.5 * 3600_000)
    await harness.server.restart()
    const api = harness.server.api()
    const runs = await over(api, made, expected.length)
    expect(runs.map(({ status, missed: count }) => [status, count])).toEqual(expected)
    expect((await api.get<SessionPage>('/api/sessions')).total).toBe(sessions)
    const now = await api.get<Schedule>(`/api/schedules/${made.id}`)
    expect([now.status, Date.parse(now.nextAt ?? '') > Date.now()]).toEqual(['active', true])
  })

  it('C8 kill -9 in the middle of a run costs nothing and starts nothing twice', async () => {
    await using harness = await openAgentsHarness({ config })
    const { id: repoId } = await newRepo(harness)
    const made = await create(harness.api, { at: soon(4000), repoId, prompt: '/slow 60 50' })
    await until(async () => (await runsOf(harness.api, made))[0]?.status === 'running')
    await harness.server.kill()
    await harness.server.restart()
    const api = harness.server.api()
    const [run] = await over(api, made, 1)
    expect(run).toMatchObject({ status: 'completed' })
    expect((await api.get<SessionPage>('/api/sessions')).total).toBe(1)
  })

  it('C8 kill -9 at any moment around a due time: each runs once', async () => {
    await using harness = await openAgentsHarness({ config })
    const { id: repoId } = await newRepo(harness)
    const at = soon(4000)
    const all = await Promise.all([1, 2, 3, 4].map(() => create(harness.api, { at, repoId })))
    const kills = [0, 60, 150, 300]
    for (const wait of kills) {
      await until(() => Date.now() > Date.parse(at) + wait, { what: 'the due time' })
      await harness.server.kill()
      await harness.server.restart()
    }
    const api = harness.server.api()
    for (const one of all) expect(await over(api, one, 1)).toMatchObject([{ sessionId: expect.any(String) }])
    expect((await api.get<SessionPage>('/api/sessions')).total).toBe(all.length)
    const log = await exportLog(api)
    expect(log.filter(({ type }) => type === 'session.started')).toHaveLength(all.length)
  })
})
