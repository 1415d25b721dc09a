import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { approve, openMcpHarness, reject, type McpHarness } from './mcp-harness.ts'

const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }

describe('the same on PostgreSQL', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({ database: 'postgres', places: 12 })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R6 R7 R23 asked, held through a crash, answered, applied once', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    await harness.crash()
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved', request_id: ask.id })
    const ends = await Promise.all([1, 2, 3].map(() => agent.call('accept_diff', { request_id: ask.id })))
    expect(ends.filter(({ status }) => status === 'applied')).toHaveLength(1)
    expect(ends.filter(({ error_code }) => error_code === 'already_consumed')).toHaveLength(2)
    expect(await agent.place.read('a.txt')).toBe('hello\n')
  })

  it('R6 of two simultaneous approvals one is asked, one is refused', async () => {
    await using agent = await harness.connect()
    const both = [1, 2].map((n) => agent.call('ask_approval', { ...whole, file_path: `${n}.txt` }, { held: true }))
    const ask = await harness.openAsk(agent.sessionId)
    expect(await Promise.race(both)).toMatchObject({ error_code: 'approval_pending', request_id: ask.id })
    await harness.answer(ask, reject('no'))
    expect((await Promise.all(both)).filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })

  it('R9 R10 R11 R17 prompts, waits and steering', async () => {
    await using agent = await harness.connect()
    const prompt = await agent.begin('forward_prompt', { prompt_text: 'And?' })
    await harness.answer(prompt.ask, { outcome: 'refine', instruction: 'so' })
    expect(await prompt.done).toMatchObject({ decision: 'refine', instruction: 'so' })
    await harness.say(agent.sessionId, 'first')
    await harness.say(agent.sessionId, 'second')
    const snapshot = [{ label: 'x', status: 'done' }]
    expect(await agent.call('heartbeat', { progress_snapshot: snapshot })).toMatchObject({
      pending_steering: ['first', 'second'],
    })
    const wait = await agent.begin('wait_for_instruction', {})
    await harness.say(agent.sessionId, 'third')
    expect(await wait.done).toMatchObject({ status: 'resumed', instruction: 'third' })
    expect(await agent.detail()).toMatchObject({ progressSnapshot: snapshot, queue: [] })
  })

  it('R13 R24 left with an ask open, recovered by the next one', async () => {
    const agent = await harness.connect()
    const { request_id } = await agent.call('ask_approval', whole)
    await agent.leave()
    expect((await agent.detail()).status).toBe('interrupted')
    await using next = await harness.connect({ place: agent.place })
    expect(await next.call('recover_state')).toMatchObject({ status: 'recovered', session_id: agent.sessionId })
    await harness.answer({ id: String(request_id) }, approve)
    expect(await next.call('ask_approval', { request_id })).toMatchObject({ status: 'approved' })
    expect(await next.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
  })
})
