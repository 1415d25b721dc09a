import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import type { McpHarness } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'

describe('steering and queues of MCP agents', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const delivered = (sessionId: string, count: number) =>
    until(async () => (await harness.queue(sessionId)).filter(({ status }) => status === 'delivered').length === count)

  it('R17 steering comes with the next heartbeat, in order and once; text for later keeps waiting', async () => {
    await using agent = await harness.connect()
    for (const text of ['one', 'two', 'three']) await harness.say(agent.sessionId, text)
    await harness.say(agent.sessionId, 'when you are done', 'later')
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: ['one', 'two', 'three'] })
    await delivered(agent.sessionId, 3)
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: [] })
    const waiting = (await harness.queue(agent.sessionId)).filter(({ status }) => status === 'waiting')
    expect(waiting).toMatchObject([{ text: 'when you are done', deliveredAt: null }])
  })

  it('R17 an agent that waits first gets text for later; then it waits for more', async () => {
    await using agent = await harness.connect()
    await harness.say(agent.sessionId, 'first', 'later')
    await harness.say(agent.sessionId, 'second', 'later')
    for (const instruction of ['first', 'second'])
      expect(await agent.call('wait_for_instruction', {}, { held: true })).toMatchObject({
        status: 'resumed',
        instruction,
      })
    const { done } = await agent.begin('wait_for_instruction', { message: 'all done' })
    await harness.say(agent.sessionId, 'third')
    expect(await done).toMatchObject({ status: 'resumed', instruction: 'third' })
    await delivered(agent.sessionId, 3)
  })

  it('R17 undelivered text survives kill -9, is visible, and is delivered once', async () => {
    await using agent = await harness.connect()
    await harness.say(agent.sessionId, 'do not forget')
    await harness.crash()
    expect(await harness.queue(agent.sessionId)).toMatchObject([{ text: 'do not forget', status: 'waiting' }])
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: ['do not forget'] })
    await delivered(agent.sessionId, 1)
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: [] })
  })

  it('R17 X4 undelivered text moves on to the session that continues', async () => {
    await using agent = await harness.connect()
    await harness.say(agent.sessionId, 'still to be said')
    const next = await harness.owner.post<{ id: string }>(`/api/sessions/${agent.sessionId}/restart`, {})
    expect(await harness.queue(next.id)).toMatchObject([{ text: 'still to be said', status: 'waiting' }])
  })
})
