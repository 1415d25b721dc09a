import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { approve, openMcpHarness, reject, type Agent, type McpHarness } from './mcp-harness.ts'

const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }

/** Long enough for received data to be on disk. */
async function settled(): Promise<void> {
  const since = Date.now()
  await until(() => Date.now() - since > 300)
}

describe('a server that is killed', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R23 the ask is still in the inbox, and the same held call gets its answer', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    await settled()
    await harness.crash()
    expect(await harness.openAsk(agent.sessionId)).toMatchObject({ id: ask.id, status: 'open', title: 'Write it' })
    const { asks } = await harness.owner.get<{ asks: { id: string }[] }>('/api/asks?status=open')
    expect(asks.map(({ id }) => id)).toContain(ask.id)
    await harness.answer(ask, approve)
    expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
    expect((await agent.detail()).status).toBe('active')
  })

  it('R23 killed right after the ask, the held call still gets its answer', async () => {
    await using agent = await harness.connect()
    const heard = Promise.withResolvers<void>()
    const done = agent.call('ask_approval', whole, { onProgress: () => heard.resolve() })
    await Promise.race([heard.promise, done])
    await harness.crash()
    const ask = await harness.openAsk(agent.sessionId)
    await harness.answer(ask, approve)
    expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
  })

  const everyAsk = [
    { tool: 'ask_approval', input: whole, answer: reject('no'), told: { status: 'rejected', reason: 'no' } },
    {
      tool: 'check_auto_approve',
      input: { tool_name: 'make', kind: 'terminal_command' },
      answer: approve,
      told: { auto_approved: true, matched_rule: 'operator:approved' },
    },
    {
      tool: 'forward_prompt',
      input: { prompt_text: 'And?' },
      answer: { outcome: 'refine', instruction: 'so' },
      told: { decision: 'refine', instruction: 'so' },
    },
    {
      tool: 'wait_for_instruction',
      input: {},
      answer: { outcome: 'resume', instruction: 'so' },
      told: { status: 'resumed', instruction: 'so' },
    },
  ]

  it('R23 every tool that asks: held through several crashes, and re-attached by request_id after another', async () => {
    const asking = await Promise.all(
      everyAsk.map(async (one) => {
        const agent = await harness.connect()
        const { ask, done } = await agent.begin(one.tool, one.input)
        return { one, agent, ask, done }
      }),
    )
    await settled()
    for (let n = 0; n < 3; n += 1) await harness.crash()
    for (const { ask, one } of asking) await harness.answer(ask, one.answer)
    for (const { one, done } of asking) expect(await done, one.tool).toMatchObject(one.told)
    await harness.crash()
    for (const { one, agent, ask } of asking) {
      const { tool, told } = one
      expect(await agent.call(tool, { request_id: ask.id }), tool).toMatchObject(told)
      const { asks } = await harness.owner.get<{ asks: unknown[] }>(`/api/asks?sessionId=${agent.sessionId}`)
      expect(asks, tool).toHaveLength(1)
      await agent.client.close()
    }
  })

  it('R23 a normal stop is no different: the call continues afterwards', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    await harness.stop()
    expect((await harness.ask(ask.id)).status).toBe('open')
    expect((await agent.detail()).status).toBe('active')
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved', request_id: ask.id })
  })

  it('R23 clients of 2025-03-26 and 2025-06-18 get the answer to their held call too', async () => {
    const calls = await Promise.all(
      ['2025-03-26', '2025-06-18'].map(async (version) => {
        const agent = await harness.connect({ version })
        const heard = Promise.withResolvers<void>()
        const { ask, done } = await agent.begin('ask_approval', whole, { onProgress: () => heard.resolve() })
        await heard.promise
        return { agent, ask, done }
      }),
    )
    await settled()
    await harness.crash()
    for (const { agent, ask, done } of calls) {
      await harness.answer(ask, approve)
      expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
      await agent.client.close()
    }
  })

  it('R13 R23 2026-07-28 has no streams to resume: a client that gave up finds its request by recover_state', async () => {
    await using agent = await harness.connect({ version: '2026-07-28' })
    const patience = new AbortController()
    const { ask, done } = await agent.begin('ask_approval', whole, { signal: patience.signal })
    await harness.crash()
    patience.abort()
    await expect(done).rejects.toThrow()
    expect(await agent.call('recover_state')).toMatchObject({
      session_id: agent.sessionId,
      pending_requests: [{ request_id: ask.id, status: 'pending' }],
    })
    const held = agent.call('ask_approval', { request_id: ask.id }, { held: true })
    await harness.answer(ask, approve)
    expect(await held).toMatchObject({ status: 'approved', request_id: ask.id })
  })

  it('R23 several agents at once, each gets its own answer', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => harness.connect()))
    const calls = await Promise.all(agents.map((agent) => agent.begin('ask_approval', whole)))
    await settled()
    await harness.crash()
    for (const [index, { ask }] of calls.entries())
      await harness.answer(ask, index % 2 === 0 ? approve : reject(`no ${index}`))
    for (const [index, { ask, done }] of calls.entries())
      expect(await done).toMatchObject(
        index % 2 === 0
          ? { status: 'approved', request_id: ask.id }
          : { status: 'rejected', request_id: ask.id, reason: `no ${index}` },
      )
    for (const agent of agents) await agent.client.close()
  })

  it('R23 server and client both killed: an answer given meanwhile reaches the returning client by request_id', async () => {
    const agent = await harness.connect()
    const { ask } = await agent.begin('ask_approval', whole)
    await agent.client.close()
    await harness.crash()
    await harness.answer(ask, approve)
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(again.sessionId).toBe(agent.sessionId)
    expect(await again.call('recover_state')).toMatchObject({ pending_requests: [{ request_id: ask.id }] })
    expect(await again.call('ask_approval', { request_id: ask.id })).toMatchObject({ status: 'approved' })
    expect(await again.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
  })

  it('R23 if still unanswered, it is in the inbox, and the returning client keeps waiting', async () => {
    const agent = await harness.connect()
    const { ask } = await agent.begin('ask_approval', whole)
    await agent.client.close()
    await harness.crash()
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect((await harness.ask(ask.id)).status).toBe('open')
    const held = again.call('ask_approval', { request_id: ask.id }, { held: true })
    await harness.answer(ask, reject('late'))
    expect(await held).toMatchObject({ status: 'rejected', reason: 'late' })
  })

  it('R7 R23 what was approved before the crash is applied after it, once', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    await harness.answer(ask, approve)
    await done
    await harness.crash()
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
    await harness.crash()
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ error_code: 'already_consumed' })
  })

  it('R11 R13 R14 R15 R17 progress, mode, queue and checkpoints survive, on the same connection', async () => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { progress_snapshot: [{ label: 'x', status: 'done' }] })
    await agent.call('set_operational_mode', { mode: 'hybrid' })
    const made = await agent.call('create_checkpoint', { label: 'kept' })
    await agent.call('remote_log', { message: 'Before it' })
    await harness.say(agent.sessionId, 'first')
    await harness.say(agent.sessionId, 'second')
    await harness.crash()
    expect(await agent.detail()).toMatchObject({ mode: 'hybrid', progressSnapshot: [{ label: 'x', status: 'done' }] })
    expect(JSON.stringify(await agent.call('list_checkpoints'))).toContain(String(made['checkpoint_id']))
    expect(await agent.call('recover_state')).toMatchObject({
      status: 'recovered',
      session_id: agent.sessionId,
      queued_instructions: ['first', 'second'],
      last_checkpoint: { label: 'kept' },
    })
    expect(await agent.call('set_operational_mode', { mode: 'local' })).toMatchObject({ previous_mode: 'hybrid' })
    expect(await agent.call('remote_log', { message: 'After it' })).toMatchObject({ posted: true })
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual(['first', 'second'])
    const said = (await agent.detail()).messages.filter(({ role }) => role === 'agent')
    expect(said.map(({ content }) => content['text'])).toEqual(['Before it', 'After it'])
  })

  it('R23 R10 a message to a wait that spans a crash is delivered once', async () => {
    await using agent = await harness.connect()
    const { done } = await agent.begin('wait_for_instruction', {})
    await settled()
    await harness.crash()
    await harness.say(agent.sessionId, 'go on')
    expect(await done).toMatchObject({ status: 'resumed', instruction: 'go on' })
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual([])
  })
})

describe('the first minutes after a start', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({
      env: { SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS: '1', SIGNALBOX_TIMEOUTS__STARTUP_GRACE_SECONDS: '300' },
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const overdue = async (agent: Agent, opened: number) => {
    await until(() => Date.now() - opened > 1500)
    return harness.openAsk(agent.sessionId)
  }

  it('R6 R23 nothing expires, even if overdue: it can be answered, and the agent gets the answer', async () => {
    await using agent = await harness.connect()
    const opened = Date.now()
    const { ask, done } = await agent.begin('ask_approval', whole)
    await settled()
    await harness.crash()
    expect((await overdue(agent, opened)).id).toBe(ask.id)
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved' })
  })
})
