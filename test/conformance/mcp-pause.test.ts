import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { approve, openMcpHarness, type McpHarness } from './mcp-harness.ts'

const everyTool: readonly (readonly [string, Record<string, unknown>])[] = [
  ['ask_approval', { title: 'x', diff: 'x', file_path: 'a.txt' }],
  ['accept_diff', { request_id: 'x' }],
  ['check_auto_approve', { tool_name: 'x' }],
  ['forward_prompt', { prompt_text: 'x' }],
  ['wait_for_instruction', {}],
  ['heartbeat', {}],
  ['remote_log', { message: 'x' }],
  ['recover_state', {}],
  ['set_operational_mode', { mode: 'local' }],
  ['create_checkpoint', {}],
  ['list_checkpoints', {}],
]

describe('a paused session', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const pause = (id: string) => harness.owner.post(`/api/sessions/${id}/pause`)
  const resume = (id: string) => harness.owner.post(`/api/sessions/${id}/resume`)

  it('R1 every tool says session_paused after hold_seconds to callers without a token, and does nothing', async () => {
    await using agent = await harness.connect()
    await pause(agent.sessionId)
    const before = await agent.detail()
    const said = await Promise.all(everyTool.map(([tool, input]) => agent.call(tool, input)))
    for (const [index, one] of said.entries())
      expect([everyTool[index]![0], one['error_code']]).toEqual([everyTool[index]![0], 'session_paused'])
    const after = await agent.detail()
    expect(after).toMatchObject({ status: 'paused', mode: before.mode, lastTool: before.lastTool })
    expect(after.messages.filter(({ role }) => role === 'agent')).toEqual([])
    await resume(agent.sessionId)
    expect(await agent.call('heartbeat')).toMatchObject({ acknowledged: true })
  })

  it('R1 a caller with a progress token gets progress, waits, and continues when it is resumed', async () => {
    await using agent = await harness.connect()
    await pause(agent.sessionId)
    const words: string[] = []
    const onProgress = ({ message = '' }: { message?: string | undefined }) => void words.push(message)
    const held = agent.call('remote_log', { message: 'At last' }, { onProgress })
    await until(() => words.length > 0)
    expect(words[0]).toMatch(/paused/)
    expect((await agent.detail()).messages.filter(({ role }) => role === 'agent')).toEqual([])
    await resume(agent.sessionId)
    expect(await held).toMatchObject({ posted: true })
  })

  it('R1 an ask held by the pause is opened when it is over', async () => {
    await using agent = await harness.connect()
    await pause(agent.sessionId)
    const words: string[] = []
    const onProgress = ({ message = '' }: { message?: string | undefined }) => void words.push(message)
    const held = agent.call('forward_prompt', { prompt_text: 'And?' }, { onProgress })
    await until(() => words.length > 0)
    const { asks } = await harness.owner.get<{ asks: unknown[] }>(`/api/asks?sessionId=${agent.sessionId}`)
    expect(asks).toEqual([])
    await resume(agent.sessionId)
    await harness.answer(await harness.openAsk(agent.sessionId), { outcome: 'continue' })
    expect(await held).toMatchObject({ decision: 'continue' })
  })

  it('R1 asks stay answerable while it is paused, and the answer is delivered after resuming', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', { title: 'x', diff: 'x\n', file_path: 'a.txt' })
    await pause(agent.sessionId)
    expect(await harness.answer(ask, approve)).toMatchObject({ status: 'answered' })
    await resume(agent.sessionId)
    expect(await done).toMatchObject({ status: 'approved', request_id: ask.id })
  })

  it('R1 R17 steering is not delivered during the pause, but after it', async () => {
    await using agent = await harness.connect()
    await harness.say(agent.sessionId, 'for later')
    await pause(agent.sessionId)
    expect(await agent.call('heartbeat')).toMatchObject({ error_code: 'session_paused' })
    expect((await harness.queue(agent.sessionId)).map(({ status }) => status)).toEqual(['waiting'])
    await resume(agent.sessionId)
    expect((await agent.call('heartbeat'))['pending_steering']).toEqual(['for later'])
  })

  it('R1 a prompt to a paused session is refused as a conflict', async () => {
    await using agent = await harness.connect()
    await pause(agent.sessionId)
    const refusal = await harness.owner.refused('POST', `/api/sessions/${agent.sessionId}/prompt`, { text: 'Hello' })
    expect(refusal.status).toBe(409)
    expect(await harness.queue(agent.sessionId)).toEqual([])
  })

  it('R1 a pause that ends with the session gives session_ended', async () => {
    await using agent = await harness.connect()
    await pause(agent.sessionId)
    const words: string[] = []
    const onProgress = ({ message = '' }: { message?: string | undefined }) => void words.push(message)
    const held = agent.call('heartbeat', {}, { onProgress })
    await until(() => words.length > 0)
    await harness.owner.post(`/api/sessions/${agent.sessionId}/terminate`)
    expect(await held).toMatchObject({ isError: true, error_code: 'session_ended' })
  })

  it.each(['complete', 'terminate'])('R1 after %s every tool says session_ended, and nothing is done', async (verb) => {
    await using agent = await harness.connect()
    await harness.owner.post(`/api/sessions/${agent.sessionId}/${verb}`)
    for (const [tool, input] of everyTool)
      expect(await agent.call(tool, input), tool).toMatchObject({ isError: true, error_code: 'session_ended' })
    expect((await agent.detail()).messages.filter(({ role }) => role === 'agent')).toEqual([])
  })

  it('R1 a paused session stays paused across a restart, and its held call continues after it', async () => {
    await using agent = await harness.connect()
    await pause(agent.sessionId)
    const words: string[] = []
    const onProgress = ({ message = '' }: { message?: string | undefined }) => void words.push(message)
    const held = agent.call('remote_log', { message: 'At last' }, { onProgress })
    await until(() => words.length > 0)
    // A call made just before a crash may have to be repeated.
    const heard = Date.now()
    await until(() => Date.now() - heard > 300)
    await harness.crash()
    expect((await agent.detail()).status).toBe('paused')
    await resume(agent.sessionId)
    expect(await held).toMatchObject({ posted: true })
    const said = (await agent.detail()).messages.filter(({ role }) => role === 'agent')
    expect(said).toHaveLength(1)
  })
})
