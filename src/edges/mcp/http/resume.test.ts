import { describe, expect, it } from 'vitest'
import { call, connect, linesOf } from '../../../../test/support/mcp-wire.ts'
import { openMcpHttpHarness, type Life } from '../../../../test/support/mcp-http-harness.ts'
import { until } from '../../../../test/world.ts'

const flushed = 100
const letGo = { result: { content: [{ type: 'text', text: 'let go' }] } }

const held = (life: Life, count = 1) => until(() => (life.holds.length >= count ? life.holds.at(-1) : undefined))

describe('a held call', () => {
  it('continues where its reader left, without a restart', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const first = linesOf(await wire.post(call(1, 'hold')))
    const place = (await first.next())?.id ?? ''
    const hold = await held(life)
    await first.leave()
    await until(() => life.mcp.held().size === 0)
    expect(hold.context.mcpReq.signal.aborted).toBe(false)
    const second = linesOf(await wire.get({ 'last-event-id': place }))
    hold.release()
    expect(await second.answer()).toMatchObject({ id: 1, ...letGo })
    expect(await second.next()).toBeNull()
    expect(life.holds).toHaveLength(1)
  })

  it('that was answered without a reader is delivered to a reader that resumes', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const first = linesOf(await wire.post(call('a', 'hold')))
    const place = (await first.next())?.id ?? ''
    const hold = await held(life)
    await first.leave()
    await until(() => life.mcp.held().size === 0)
    hold.release()
    for (const _again of [1, 2]) {
      const lines = linesOf(await wire.get({ 'last-event-id': place }))
      expect(await lines.answer()).toMatchObject({ id: 'a', ...letGo })
      expect(await lines.next()).toBeNull()
    }
    expect(life.holds).toHaveLength(1)
  })

  it('is handled again after a kill, under its id, and answered to a reader that resumes', async () => {
    await using harness = await openMcpHttpHarness()
    const one = await harness.begin()
    const { id, wire, again } = await connect(one.url)
    const first = linesOf(await wire.post(call(7, 'hold', { _meta: { progressToken: 'p' } })))
    await first.next()
    const progress = await first.next()
    expect(progress?.data).toMatchObject({ method: 'notifications/progress' })
    await held(one)
    harness.world.clock.advance(flushed)
    await until(
      async () => (await harness.world.database.read.selectFrom('mcp_events').selectAll().execute()).length > 0,
    )
    await one.kill()
    await using two = await harness.begin()
    const lines = linesOf(await again(two.url).get({ 'last-event-id': progress?.id ?? '' }))
    const hold = await held(two)
    expect([hold.id, hold.link.connectionId]).toEqual([7, id])
    const more = await lines.next()
    expect(more?.id).not.toBe(progress?.id)
    hold.release()
    expect(await lines.answer()).toMatchObject({ id: 7, ...letGo })
  })

  it('whose answer was written before a kill is not asked again', async () => {
    await using harness = await openMcpHttpHarness()
    const one = await harness.begin()
    const { wire, again } = await connect(one.url)
    const first = linesOf(await wire.post(call(1, 'hold')))
    const place = (await first.next())?.id ?? ''
    const hold = await held(one)
    harness.world.clock.advance(flushed)
    hold.release()
    await first.answer()
    harness.world.clock.advance(flushed)
    await until(async () => {
      const rows = await harness.world.database.read.selectFrom('mcp_events').select('seq').execute()
      return rows.length === 1 && rows[0]?.seq === 1
    })
    await one.kill()
    await using two = await harness.begin()
    const lines = linesOf(await again(two.url).get({ 'last-event-id': place }))
    expect(await lines.answer()).toMatchObject({ id: 1, ...letGo })
    expect(await lines.next()).toBeNull()
    expect(two.holds).toHaveLength(0)
  })

  it('that was lost with the server is answered with an error, so that no caller waits forever', async () => {
    await using harness = await openMcpHttpHarness()
    const one = await harness.begin()
    const { wire, again } = await connect(one.url)
    const place = (await linesOf(await wire.post(call(3, 'hold'))).next())?.id ?? ''
    await held(one)
    await one.kill()
    await using two = await harness.begin()
    const lines = linesOf(await again(two.url).get({ 'last-event-id': place }))
    expect(await lines.answer()).toMatchObject({ id: 3, error: { message: expect.stringContaining('Call again') } })
  })

  it('ends without an answer when the server stops, and continues after the restart', async () => {
    await using harness = await openMcpHttpHarness()
    const one = await harness.begin()
    const { wire, again } = await connect(one.url)
    const first = linesOf(await wire.post(call(1, 'hold')))
    const place = (await first.next())?.id ?? ''
    const hold = await held(one)
    await one[Symbol.asyncDispose]()
    expect(hold.link.closing.aborted).toBe(true)
    expect(await first.next()).toBeNull()
    await using two = await harness.begin()
    const lines = linesOf(await again(two.url).get({ 'last-event-id': place }))
    ;(await held(two)).release()
    expect(await lines.answer()).toMatchObject({ id: 1, ...letGo })
  })

  it('posted again while it runs is the same call', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    await linesOf(await wire.post(call(1, 'hold'))).leave()
    const lines = linesOf(await wire.post(call(1, 'hold')))
    const hold = await held(life)
    hold.release()
    expect(await lines.answer()).toMatchObject({ id: 1, ...letGo })
    expect(life.holds).toHaveLength(1)
  })

  it('is abandoned if no reader comes back, and started again for a later one', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const first = linesOf(await wire.post(call(1, 'hold')))
    const place = (await first.next())?.id ?? ''
    const hold = await held(life)
    await first.leave()
    await until(() => life.mcp.held().size === 0)
    harness.world.clock.advance(930_000)
    await until(() => hold.context.mcpReq.signal.aborted)
    const lines = linesOf(await wire.get({ 'last-event-id': place }))
    ;(await held(life, 2)).release()
    expect(await lines.answer()).toMatchObject({ id: 1, ...letGo })
  })
})

describe('cancelling', () => {
  it('aborts the call and ends its stream; disconnecting does neither (2025)', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const lines = linesOf(await wire.post(call(1, 'hold')))
    await lines.next()
    const hold = await held(life)
    const params = { requestId: 1, reason: 'enough' }
    const response = await wire.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    expect(response.status).toBe(202)
    expect(await lines.next()).toBeNull()
    expect(hold.context.mcpReq.signal.aborted).toBe(true)
    expect(life.mcp.held().size).toBe(0)
  })
})

describe('the stream for messages outside any request', () => {
  it('is single: opening it again takes it over', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const first = linesOf(await wire.get())
    await first.next()
    const second = linesOf(await wire.get())
    expect(await first.next()).toBeNull()
    expect((await second.next())?.data).toBeNull()
  })

  it('is resumed after a restart', async () => {
    await using harness = await openMcpHttpHarness()
    const one = await harness.begin()
    const { wire, again } = await connect(one.url)
    const place = (await linesOf(await wire.get()).next())?.id ?? ''
    await one.kill()
    await using two = await harness.begin()
    const response = await again(two.url).get({ 'last-event-id': place })
    expect(response.status).toBe(200)
    await linesOf(response).leave()
  })
})
