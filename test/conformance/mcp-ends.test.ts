import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { approve, openMcpHarness, type Agent, type McpHarness } from './mcp-harness.ts'

const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }

describe('agents that leave', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R24 DELETE of the MCP session completes it', async () => {
    const agent = await harness.connect()
    await agent.call('heartbeat')
    await agent.leave()
    expect(await agent.detail()).toMatchObject({ status: 'completed', terminatedAt: expect.any(String) })
  })

  it('R24 with an ask open it is interrupted, and the ask stays; a returning client gets its answer', async () => {
    const agent = await harness.connect()
    const { request_id } = await agent.call('ask_approval', whole)
    await agent.leave()
    expect((await agent.detail()).status).toBe('interrupted')
    expect((await harness.ask(String(request_id))).status).toBe('open')
    await harness.answer({ id: String(request_id) }, approve)
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect([again.sessionId, (await again.detail()).status]).toEqual([agent.sessionId, 'active'])
    expect(await again.call('ask_approval', { request_id })).toMatchObject({ status: 'approved' })
  })

  it('R24 if one of two connections leaves, nothing ends', async () => {
    const agent = await harness.connect()
    await using beside = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(beside.sessionId).toBe(agent.sessionId)
    await agent.leave()
    expect((await beside.detail()).status).toBe('active')
    expect(await beside.call('heartbeat')).toMatchObject({ acknowledged: true })
    await beside.leave()
    expect((await beside.detail()).status).toBe('completed')
  })

  it('R24 after DELETE its MCP session is gone', async () => {
    const agent = await harness.connect()
    const id = 'sessionId' in agent.transport ? agent.transport.sessionId : undefined
    await agent.leave()
    const reply = await harness.server.tcp().send('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: {
        authorization: `Bearer ${harness.token}`,
        accept: 'application/json, text/event-stream',
        'mcp-session-id': id,
        'mcp-protocol-version': '2025-11-25',
      },
    })
    expect(reply.status).toBe(404)
  })

  it('R24 a broken stream does not end the session', async () => {
    const agent = await harness.connect()
    await agent.call('heartbeat')
    await agent.client.close()
    expect((await agent.detail()).status).toBe('active')
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(again.sessionId).toBe(agent.sessionId)
  })

  it('R24 an ended session can’t be started again by its id', async () => {
    const agent = await harness.connect()
    await agent.leave()
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(await again.call('heartbeat')).toMatchObject({ isError: true, error_code: 'session_ended' })
    expect((await agent.detail()).status).toBe('completed')
  })
})

describe('agents that are lost', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({
      env: { SIGNALBOX_MCP__LOST_AFTER_SECONDS: '2', SIGNALBOX_MAX_CONCURRENT_SESSIONS: '2' },
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const lost = (id: string) => until(async () => (await harness.session(id)).status === 'interrupted')

  /** A client takes a slot with its first tool call. */
  async function working(): Promise<Agent> {
    const agent = await harness.connect()
    const said = await agent.call('heartbeat')
    if (!said.isError) return agent
    await agent.leave()
    throw new Error(String(said['error_code']))
  }

  it('R24 R4 interrupted after lost_after_seconds, its slot is free, and active again when it returns', async () => {
    const all = await Promise.allSettled([working(), working(), working()])
    const [first, second, ...more] = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (!first || !second) throw new Error('both slots were free')
    expect(more).toEqual([])
    await lost(first.sessionId)
    await lost(second.sessionId)
    const third = await working()
    expect(await first.call('heartbeat')).toMatchObject({ session_id: first.sessionId, isError: false })
    expect((await first.detail()).status).toBe('active')
    await first.leave()
    await third.leave()
    await using again = await harness.connect({ place: second.place, query: { session_id: second.sessionId } })
    expect([again.sessionId, (await again.detail()).status]).toEqual([second.sessionId, 'active'])
    await again.leave()
    await second.client.close()
  })

  it('R24 R4 a client that returns without a free slot is refused, and accepted when there is one', async () => {
    const agent = await working()
    await lost(agent.sessionId)
    const others = [await working(), await working()]
    expect(await agent.call('heartbeat')).toMatchObject({
      isError: true,
      error_code: expect.stringMatching(/limit|sessions/),
    })
    for (const one of others) await one.leave()
    expect(await agent.call('heartbeat')).toMatchObject({ acknowledged: true, session_id: agent.sessionId })
    await agent.leave()
  })

  it('R24 a held call is contact: a client that waits for a person is not lost', async () => {
    const agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    const since = Date.now()
    await until(() => Date.now() - since > 4000)
    expect((await agent.detail()).status).toBe('active')
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved' })
    await agent.leave()
  })

  it('R24 any request is contact: a client that polls its request is not lost', async () => {
    const agent = await harness.connect()
    const { request_id } = await agent.call('ask_approval', whole)
    const since = Date.now()
    const seen = new Set<string>()
    while (Date.now() - since < 4500) {
      expect(await agent.call('ask_approval', { request_id })).toMatchObject({ status: 'pending' })
      seen.add((await agent.detail()).status)
    }
    expect([...seen]).toEqual(['active'])
    await harness.answer({ id: String(request_id) }, approve)
    await agent.leave()
  })

  it('R24 any request is contact: a client that pings and lists tools is not lost', async () => {
    const agent = await harness.connect()
    const since = Date.now()
    const seen = new Set<string>()
    while (Date.now() - since < 4500) {
      await agent.client.ping()
      seen.add((await agent.detail()).status)
    }
    expect([...seen]).toEqual(['active'])
    await agent.leave()
  })

  it('R24 with an ask open it is lost too, the ask stays, and a returning client gets its answer', async () => {
    const agent = await harness.connect()
    const { request_id } = await agent.call('ask_approval', whole)
    await lost(agent.sessionId)
    expect((await harness.ask(String(request_id))).status).toBe('open')
    await harness.answer({ id: String(request_id) }, approve)
    expect(await agent.call('ask_approval', { request_id })).toMatchObject({ status: 'approved' })
    expect((await agent.detail()).status).toBe('active')
    await agent.leave()
  })

  it('R24 a restarted server gives its clients time to return', async () => {
    const agent = await harness.connect()
    const since = Date.now()
    await until(() => Date.now() - since > 500)
    await harness.server.kill('SIGKILL')
    await until(() => Date.now() - since > 3000)
    await harness.stop()
    expect((await agent.detail()).status).toBe('active')
    expect(await agent.call('heartbeat')).toMatchObject({ acknowledged: true })
    await agent.leave()
  })
})
