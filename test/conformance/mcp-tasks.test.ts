import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openMcpHarness, type McpHarness } from './mcp-harness.ts'
import { me } from './people.ts'
import type { Schedule } from './schedules-harness.ts'
import { nobody } from './work.ts'

type Task = { task_id: string; status: string; next_at: string | null; runs: { status: string; trigger: string }[] }

let harness: McpHarness
beforeAll(async () => {
  harness = await openMcpHarness()
})
afterAll(() => harness?.[Symbol.asyncDispose]())

const soon = () => new Date(Date.now() + 4000).toISOString()

describe('scheduled tasks of agents', () => {
  it('C8 schedule_task brings a prompt back to the session, as its owner', async () => {
    await using agent = await harness.connect()
    const made = await agent.call('schedule_task', { prompt: 'Look at the build again.', at: soon() })
    expect(made).toMatchObject({ isError: false, status: 'active', session: 'same', missed: 'once', runs: [] })
    const { task_id: id } = made as unknown as Task
    const schedule = await harness.owner.get<Schedule>(`/api/schedules/${id}`)
    expect(schedule).toMatchObject({ ownerUserId: await me(harness.owner), madeBy: agent.sessionId })
    const text = await until(async () => (await harness.queue(agent.sessionId))[0]?.text, { what: 'the prompt' })
    expect(text).toBe('Look at the build again.')
  })

  it('C8 list, pause, resume, run, update and cancel, each with the last runs', async () => {
    await using agent = await harness.connect()
    const made = await agent.call('schedule_task', { prompt: 'Check', cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin' })
    const { task_id } = made as unknown as Task
    expect(await agent.call('pause_task', { task_id })).toMatchObject({ status: 'paused', next_at: null })
    expect(await agent.call('resume_task', { task_id })).toMatchObject({
      status: 'active',
      next_at: expect.any(String),
    })
    expect(await agent.call('run_task', { task_id })).toMatchObject({ runs: [{ trigger: 'manual' }] })
    const changed = await agent.call('update_task', { task_id, every: '2h', prompt: 'Check twice', overlap: 'queue' })
    expect(changed).toMatchObject({ schedule: 'every 7200 seconds', prompt: 'Check twice', overlap: 'queue' })
    expect(await agent.call('list_tasks')).toMatchObject({ tasks: [{ task_id, prompt: 'Check twice' }] })
    expect(await agent.call('cancel_task', { task_id })).toMatchObject({ status: 'cancelled' })
    expect(await agent.call('list_tasks')).toMatchObject({ tasks: [] })
  })

  it('C8 what never runs is refused, and tasks of other sessions do not exist', async () => {
    await using agent = await harness.connect()
    await using other = await harness.connect()
    const never = { prompt: 'x', cron: '0 0 30 2 *' }
    expect(await agent.call('schedule_task', never)).toMatchObject({ isError: true, error_code: 'invalid_schedule' })
    expect(await agent.call('schedule_task', { prompt: 'x' })).toMatchObject({ error_code: 'invalid_schedule' })
    const fresh = { prompt: 'x', every: '1h', session: 'fresh' }
    expect(await agent.call('schedule_task', fresh)).toMatchObject({ error_code: 'not_permitted' })
    const { task_id } = (await agent.call('schedule_task', { prompt: 'x', every: '1h' })) as unknown as Task
    expect(await other.call('list_tasks')).toMatchObject({ tasks: [] })
    for (const tool of ['pause_task', 'resume_task', 'run_task', 'cancel_task', 'update_task'])
      for (const id of [task_id, nobody()])
        expect(await other.call(tool, { task_id: id })).toMatchObject({ isError: true, error_code: 'task_not_found' })
    expect(await agent.call('list_tasks')).toMatchObject({ tasks: [{ task_id, status: 'active' }] })
  })
})
