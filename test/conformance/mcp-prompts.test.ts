import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openMcpHarness, type McpHarness } from './mcp-harness.ts'

const question = { prompt_text: 'Shall I continue?' }

describe('forward_prompt', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each([
    [{ outcome: 'continue' }, { decision: 'continue' }],
    [
      { outcome: 'refine', instruction: 'in blue' },
      { decision: 'refine', instruction: 'in blue' },
    ],
    [{ outcome: 'stop' }, { decision: 'stop' }],
  ])('R9 %o is reported as %o', async (answer, told) => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('forward_prompt', question)
    await harness.answer(ask, answer)
    expect(await done).toEqual({ ...told, request_id: ask.id, isError: false })
  })

  it('R9 the owner sees every field, and missing ones have their default', async () => {
    await using agent = await harness.connect()
    const input = { ...question, prompt_type: 'clarification', elapsed_seconds: 12.5, actions_taken: 3 }
    const first = await agent.begin('forward_prompt', input)
    expect(first.ask).toMatchObject({
      kind: 'prompt',
      title: 'Shall I continue?',
      subject: { text: 'Shall I continue?', promptType: 'clarification', elapsedSeconds: 12.5, actionsTaken: 3 },
    })
    await harness.answer(first.ask, { outcome: 'continue' })
    await first.done
    const second = await agent.begin('forward_prompt', question)
    expect(second.ask.subject).toMatchObject({ promptType: 'continuation', elapsedSeconds: null, actionsTaken: null })
    expect((await agent.detail()).lastTool).toBe('forward_prompt')
    await harness.answer(second.ask, { outcome: 'continue' })
    await second.done
  })

  it('R9 refine needs an instruction; an answer without one, or of another kind, is refused', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('forward_prompt', question)
    for (const answer of [
      { outcome: 'refine' },
      { outcome: 'refine', instruction: '' },
      { outcome: 'approve' },
      { outcome: 'resume' },
      { outcome: 'anything' },
    ])
      expect(
        (await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, answer)).status,
        JSON.stringify(answer),
      ).toBe(400)
    expect((await harness.ask(ask.id)).status).toBe('open')
    await harness.answer(ask, { outcome: 'refine', instruction: 'with care' })
    expect(await done).toMatchObject({ decision: 'refine', instruction: 'with care' })
  })

  it.each([
    ['no prompt_text', {}, /prompt_text/],
    ['an unknown type', { ...question, prompt_type: 'other' }, /prompt_type/],
    ['an unknown field', { ...question, urgent: true }, /urgent/],
    ['a negative time', { ...question, elapsed_seconds: -1 }, /elapsed_seconds/],
    ['half an action', { ...question, actions_taken: 1.5 }, /actions_taken/],
  ])('R9 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('forward_prompt', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })

  it('R9 pending without a progress token; answered by request_id, also to transmit', async () => {
    await using agent = await harness.connect()
    const pending = await agent.call('transmit', question)
    expect(pending).toMatchObject({ status: 'pending', request_id: expect.any(String) })
    expect(pending['decision']).toBeUndefined()
    await harness.answer({ id: String(pending['request_id']) }, { outcome: 'stop', reason: 'enough' })
    expect(await agent.call('transmit', { request_id: pending['request_id'] })).toMatchObject({ decision: 'stop' })
  })

  it('R9 R19 a policy that lists the tool answers continue, marked automatic; never error_recovery', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({ enabled: true, tools: ['forward_prompt'] })
    const said = await agent.call('forward_prompt', question)
    expect(said).toMatchObject({ decision: 'continue', automatic: true })
    expect(await harness.ask(String(said['request_id']))).toMatchObject({
      automatic: true,
      answeredBy: 'policy:tool:forward_prompt',
    })
    const { ask, done } = await agent.begin('forward_prompt', { ...question, prompt_type: 'error_recovery' })
    await harness.answer(ask, { outcome: 'stop' })
    expect(await done).toMatchObject({ decision: 'stop' })
  })

  it('R9 when the session ends, the decision is stop', async () => {
    await using agent = await harness.connect()
    const { done } = await agent.begin('forward_prompt', question)
    await harness.owner.post(`/api/sessions/${agent.sessionId}/terminate`)
    expect(await done).toMatchObject({ decision: 'stop' })
  })
})

describe('prompts and waits that nobody answers', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({
      env: { SIGNALBOX_TIMEOUTS__PROMPT_SECONDS: '1', SIGNALBOX_TIMEOUTS__WAIT_SECONDS: '1' },
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each(['continuation', 'clarification', 'resource_warning'])(
    'R9 after prompt_seconds %s continues, marked automatic',
    async (prompt_type) => {
      await using agent = await harness.connect()
      const { ask, done } = await agent.begin('forward_prompt', { ...question, prompt_type })
      expect(await done).toEqual({ decision: 'continue', automatic: true, request_id: ask.id, isError: false })
      expect(await harness.ask(ask.id)).toMatchObject({ automatic: true, answeredBy: 'system:clock' })
      const late = await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, { outcome: 'stop' })
      expect(late.status).toBe(409)
    },
  )

  it('R9 error_recovery keeps waiting, however long', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('forward_prompt', { ...question, prompt_type: 'error_recovery' })
    expect(ask.expiresAt).toBeNull()
    const beside = await agent.begin('forward_prompt', { ...question, prompt_type: 'error_recovery' })
    expect(beside.ask.status).toBe('open')
    await using other = await harness.connect()
    const passed = await other.begin('forward_prompt', question)
    expect(await passed.done).toMatchObject({ decision: 'continue' })
    expect((await harness.ask(ask.id)).status).toBe('open')
    await harness.owner.post(`/api/sessions/${agent.sessionId}/terminate`)
    expect(await done).toMatchObject({ decision: 'stop' })
  })

  it('R10 0 means the configured time; if nobody answers: timeout', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('wait_for_instruction', { timeout_seconds: 0 })
    expect(await done).toEqual({ status: 'timeout', request_id: ask.id, isError: false })
    const own = await agent.begin('wait_for_instruction', { timeout_seconds: 600 })
    const left = Date.parse(own.ask.expiresAt ?? '') - Date.now()
    expect(left).toBeGreaterThan(500_000)
    await harness.answer(own.ask, { outcome: 'resume' })
    await own.done
  })
})

describe('wait_for_instruction', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R10 resumed with an instruction, and without one', async () => {
    await using agent = await harness.connect()
    const first = await agent.begin('wait_for_instruction', { message: 'Done with it.' })
    expect(first.ask).toMatchObject({ kind: 'wait', subject: { message: 'Done with it.' }, expiresAt: null })
    await harness.answer(first.ask, { outcome: 'resume', instruction: 'Now the tests' })
    expect(await first.done).toEqual({
      status: 'resumed',
      instruction: 'Now the tests',
      request_id: first.ask.id,
      isError: false,
    })
    const second = await agent.begin('wait_for_instruction', {})
    expect(second.ask.subject).toMatchObject({ message: null })
    await harness.answer(second.ask, { outcome: 'resume' })
    expect(await second.done).toEqual({ status: 'resumed', request_id: second.ask.id, isError: false })
  })

  it('R10 stopped is stopped, without an instruction', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('wait_for_instruction', {})
    await harness.answer(ask, { outcome: 'stop' })
    expect(await done).toEqual({ status: 'stopped', request_id: ask.id, isError: false })
  })

  it('R10 its own timeout', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('wait_for_instruction', { timeout_seconds: 1 })
    expect(await done).toEqual({ status: 'timeout', request_id: ask.id, isError: false })
    expect((await harness.ask(ask.id)).status).toBe('expired')
  })

  it('R10 pending without a progress token, answered by request_id; standby is the same tool', async () => {
    await using agent = await harness.connect()
    const pending = await agent.call('standby', { message: 'idle' })
    expect(pending).toEqual({ status: 'pending', request_id: expect.any(String), isError: false })
    const again = agent.call('standby', { request_id: pending['request_id'] })
    await harness.answer({ id: String(pending['request_id']) }, { outcome: 'resume', instruction: 'go' })
    expect(await again).toMatchObject({ status: 'resumed', instruction: 'go' })
    expect((await agent.detail()).lastTool).toBe('wait_for_instruction')
  })

  it('R10 two waits at once are two asks, each with its own answer', async () => {
    await using agent = await harness.connect()
    const first = await agent.begin('wait_for_instruction', { message: 'one' })
    const second = agent.call('wait_for_instruction', { message: 'two' }, { held: true })
    const other = await until(async () => {
      const { asks } = await harness.owner.get<{ asks: { id: string }[] }>(
        `/api/asks?sessionId=${agent.sessionId}&status=open`,
      )
      return asks.find(({ id }) => id !== first.ask.id)
    })
    await harness.answer(other, { outcome: 'resume', instruction: 'to two' })
    expect(await second).toMatchObject({ instruction: 'to two', request_id: other.id })
    expect((await harness.ask(first.ask.id)).status).toBe('open')
    await harness.answer(first.ask, { outcome: 'stop' })
    expect(await first.done).toMatchObject({ status: 'stopped', request_id: first.ask.id })
  })

  it('R10 a wait interrupted with its session is stopped', async () => {
    await using agent = await harness.connect()
    const { done } = await agent.begin('wait_for_instruction', {})
    await harness.owner.post(`/api/sessions/${agent.sessionId}/complete`)
    expect(await done).toMatchObject({ status: 'stopped' })
  })

  it.each([
    ['a negative time', { timeout_seconds: -1 }, /timeout_seconds/],
    ['an unknown field', { until: 'later' }, /until/],
    ['a message that is not text', { message: 5 }, /message/],
  ])('R10 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('wait_for_instruction', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })

  it('R10 R17 messages sent before the wait are delivered by it, in order and once', async () => {
    await using agent = await harness.connect()
    await harness.say(agent.sessionId, 'first')
    await harness.say(agent.sessionId, 'second')
    await harness.say(agent.sessionId, 'last', 'later')
    const heard: string[] = []
    await until(async () => {
      const said = await agent.call('wait_for_instruction', {}, { held: true })
      expect(said).toMatchObject({ status: 'resumed', isError: false })
      heard.push(String(said['instruction']))
      const queue = await harness.queue(agent.sessionId)
      return queue.every(({ status }) => status !== 'waiting')
    })
    const all = heard.join('\n')
    expect([all.indexOf('first'), all.indexOf('second'), all.indexOf('last')].every((at) => at >= 0)).toBe(true)
    expect(all.indexOf('first')).toBeLessThan(all.indexOf('second'))
    expect(all.indexOf('second')).toBeLessThan(all.indexOf('last'))
    for (const word of ['first', 'second', 'last']) expect(all.split(word)).toHaveLength(2)
    const queue = await harness.queue(agent.sessionId)
    expect(queue.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered'])
    const beat = await agent.call('heartbeat')
    expect(beat['pending_steering']).toEqual([])
  })

  it.each(['now', 'next', 'later'])('R10 R17 a message (%s) during the wait ends it', async (when) => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('wait_for_instruction', {})
    await harness.say(agent.sessionId, 'Do this', when)
    expect(await done).toMatchObject({ status: 'resumed', instruction: 'Do this', request_id: ask.id })
    const [item] = await until(async () => {
      const queue = await harness.queue(agent.sessionId)
      return queue.every(({ status }) => status === 'delivered') ? queue : null
    })
    expect(item).toMatchObject({ text: 'Do this', status: 'delivered', deliveredAt: expect.any(String) })
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual([])
  })

  it('R10 R17 a message to a wait that nobody holds any more comes by its request_id', async () => {
    await using agent = await harness.connect()
    const pending = await agent.call('wait_for_instruction', {})
    await harness.say(agent.sessionId, 'Do this')
    expect(await agent.call('wait_for_instruction', { request_id: pending['request_id'] })).toMatchObject({
      status: 'resumed',
      instruction: 'Do this',
    })
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual([])
  })
})
