import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { connectLoopClient } from '../support/loop-client.ts'
import { diffTo, differs, treeOf } from '../support/loop-files.ts'
import { openLoopHarness } from '../support/loop-harness.ts'
import { until } from '../support/until.ts'

it.each(['http', 'http-2026', 'stdio'] as const)(
  'an agent over %s that is gone for good, with its server: the next one in the workspace gets the answer',
  async (way) => {
    await using harness = await openLoopHarness({ places: 2, env: { SIGNALBOX_MCP__LOST_AFTER_SECONDS: '3' } })
    const { server } = harness
    const statusOf = async (id: string) => (await server.owner.get<{ status: string }>(`/api/sessions/${id}`)).status
    // A waiting client is not lost, however long it takes.
    const waiter = await harness.connect(1)
    const waiting = waiter.call('forward_prompt', { prompt_text: 'how long?' })
    const lost = await harness.connect(0, way)
    const change = { title: 'asked by who is lost', diff: diffTo('w0', 1), file_path: 'a.txt' }
    void lost.call('ask_approval', change).catch(() => {})
    const ask = await harness.openAsk(change.title)
    await lost.kill()
    const before = harness.spot(0)
    await until(async () => (await statusOf(before.sessionId)) === 'interrupted', { what: 'a session taken for lost' })
    await server.kill()
    await server.start()
    expect((await harness.openAsk(change.title)).id).toBe(ask.id)
    await harness.answer(ask, { outcome: 'approve', reason: 'go on' })

    const next = await connectLoopClient(server, way, { ...before, sessionId: randomUUID() })
    expect(await next.call('recover_state', {})).toMatchObject({
      status: 'recovered',
      session_id: before.sessionId,
      pending_requests: [{ request_id: ask.id, title: change.title, status: 'answered' }],
    })
    const input = { request_id: ask.id }
    expect(await next.call('ask_approval', input)).toMatchObject({ status: 'approved', reason: 'go on' })
    expect(await next.call('accept_diff', input)).toMatchObject({ status: 'applied' })
    expect(differs(before.path, treeOf('w0', 1))).toBeNull()
    expect(await statusOf(before.sessionId)).toBe('active')

    expect(await statusOf(harness.spot(1).sessionId)).toBe('active')
    await harness.answer(await harness.openAsk('how long?'), { outcome: 'refine', instruction: 'this long' })
    expect(await waiting).toMatchObject({ instruction: 'this long' })
    await Promise.all([waiter.kill(), next.kill()])
    expect(server.errors).toEqual([])
  },
)
