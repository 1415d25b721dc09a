import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { approve, type Agent, type McpHarness } from './mcp-harness.ts'
import { alertOf, alertsOf, openOperationsHarness, quick } from './operations-harness.ts'

const activityOf = async (agent: Agent) => ((await agent.detail()) as unknown as { activity: string }).activity

describe('slots of clients over MCP', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness({ env: { SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1' } })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R4 a client counts from its first tool call; one that only connected takes no slot', async () => {
    await using first = await harness.connect()
    await using second = await harness.connect()
    expect([await activityOf(first), await activityOf(second)]).toEqual(['idle', 'idle'])
    await first.call('heartbeat')
    expect(await activityOf(first)).toBe('working')
    expect(await second.call('heartbeat')).toMatchObject({ isError: true, error_code: 'session_limit' })
    await first.leave()
    expect(await second.call('heartbeat')).toMatchObject({ acknowledged: true })
    await second.leave()
  })

  it('R4 many first calls at once take exactly the slots there are', async () => {
    const agents = await Promise.all(Array.from({ length: 5 }, () => harness.connect()))
    const said = await Promise.all(agents.map((agent) => agent.call('heartbeat')))
    expect(said.filter(({ isError }) => !isError)).toHaveLength(1)
    for (const agent of agents) await agent.leave()
  })
})

describe('turns of clients over MCP', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness({ env: { SIGNALBOX_STALL__ENABLED: 'true', ...quick } })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Time enough for an alert: another agent went silent. */
  const aWhile = async (): Promise<void> => {
    await using other = await harness.connect()
    await other.call('remote_log', { message: 'at work' })
    await alertOf(harness.owner, other.sessionId)
    await other.leave()
  }

  it('R16 a client that only connected never stalls; its clock runs from its first tool call', async () => {
    await using agent = await harness.connect()
    await aWhile()
    expect(await alertsOf(harness.owner, agent.sessionId)).toEqual([])
    await agent.call('remote_log', { message: 'at work' })
    await alertOf(harness.owner, agent.sessionId)
    await agent.leave()
  })

  it('R16 a turn that is over stops the clock, until the next tool call', async () => {
    await using agent = await harness.connect()
    await agent.call('remote_log', { message: 'at work' })
    // As the Stop hook does.
    expect(await harness.owner.post(`/api/sessions/${agent.sessionId}/queue/take`)).toEqual({ items: [] })
    expect(await activityOf(agent)).toBe('idle')
    await aWhile()
    expect(await alertsOf(harness.owner, agent.sessionId)).toEqual([])
    await agent.call('remote_log', { message: 'at work again' })
    expect(await activityOf(agent)).toBe('working')
    await alertOf(harness.owner, agent.sessionId)
    await agent.leave()
  })

  it('R16 an agent that was told to stop is not at work', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('wait_for_instruction', {})
    await harness.answer(ask, { outcome: 'stop', reason: null })
    expect(await done).toMatchObject({ status: 'stopped' })
    expect(await activityOf(agent)).toBe('idle')
    await agent.leave()
  })

  it('R5 stall_paused is true during a long operation, and false after it', async () => {
    await using agent = await harness.connect()
    await agent.call('heartbeat', { long_operation: { reason: 'a build', seconds: 2 } })
    expect(await agent.detail()).toMatchObject({ stallPaused: true })
    await until(async () => (await agent.detail()).stallPaused === false)
    await agent.leave()
  })

  it('B15 a permission prompt of a client without progress is denied and withdrawn', async () => {
    await using agent = await harness.connect()
    const use = { tool_name: 'Bash', input: { command: 'npm test' }, tool_use_id: 'one' }
    const said = await agent.client.callTool({ name: 'permission_prompt', arguments: use })
    const [block] = said.content
    expect(JSON.parse(block && 'text' in block ? block.text : '')).toMatchObject({ behavior: 'deny' })
    const { asks } = await harness.owner.get<{ asks: { id: string; status: string; kind: string }[] }>(
      `/api/asks?sessionId=${agent.sessionId}`,
    )
    expect(asks).toMatchObject([{ status: 'cancelled' }])
    const late = await harness.owner.refused('POST', `/api/asks/${asks[0]?.id}/answer`, approve)
    expect(late.status).toBe(409)
    await agent.leave()
  })

  it('X2 a session whose stream is gone is offline; any sign of life: online', async () => {
    await using agent = await harness.connect()
    await agent.call('remote_log', { message: 'at work' })
    expect(await agent.detail()).toMatchObject({ connectivityStatus: 'online' })
    // Closed without saying goodbye.
    const { client, sessionId } = agent
    await client.close()
    const connectivity = async () => (await harness.session(sessionId)).connectivityStatus
    await until(async () => (await connectivity()) === 'offline', { seconds: 30 })
    await harness.owner.post(`/api/sessions/${sessionId}/heartbeat`, {})
    expect(await connectivity()).toBe('online')
  })
})
