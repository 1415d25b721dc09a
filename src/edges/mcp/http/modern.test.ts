import { describe, expect, it } from 'vitest'
import { linesOf, wireTo } from '../../../../test/support/mcp-wire.ts'
import { openMcpHttpHarness } from '../../../../test/support/mcp-http-harness.ts'
import { until } from '../../../../test/world.ts'
import type { SessionId } from '../../../domain/session/id.ts'

const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

function request(method: string, params: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}
  return [
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...meta, ...more } } },
    { 'mcp-protocol-version': revision, 'mcp-method': method, ...name } as Record<string, string>,
  ] as const
}

describe('an independent request (2026-07-28)', () => {
  it('can ask what is available without starting a session', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const response = await wireTo(life.url).post(...request('server/discover'))
    expect(await response.json()).toMatchObject({ result: { supportedVersions: [revision] } })
    expect(harness.attached).toEqual([])
  })

  it('is linked to a session, and to the name its sender gives it', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const [message, headers] = request('tools/call', { name: 'who', arguments: {} })
    const response = await wireTo(life.url).post(message, { ...headers, 'x-signalbox-call': 'bridge:7' })
    const told = JSON.stringify({ client: 'modern', key: 'bridge:7', session: harness.attached[0] })
    expect(await response.json()).toMatchObject({ result: { content: [{ text: told }] } })
  })

  it('gets the reason if it is refused', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const [message, headers] = request('tools/list')
    const response = await fetch(`${life.url}/mcp?workspace_id=nowhere`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ id: 1, error: { data: { code: 'unknown_workspace' } } })
  })

  it('starts its response at once if progress is requested, and is cancelled by closing the stream', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const lines = linesOf(
      await wireTo(life.url).post(...request('tools/call', { name: 'hold', arguments: {} }, { progressToken: 1 })),
    )
    expect((await lines.next())?.data).toMatchObject({ method: 'notifications/progress' })
    const hold = await until(() => life.holds[0])
    expect([...life.mcp.held()]).toEqual([[harness.attached[0], 1]])
    await lines.leave()
    await until(() => hold.context.mcpReq.signal.aborted && hold.link.closing.aborted)
    expect(life.mcp.held().size).toBe(0)
  })

  it('that listens gets events of its own session', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const params = { notifications: { resourceSubscriptions: ['signalbox://inbox'] } }
    const response = await wireTo(life.url).post(...request('subscriptions/listen', params))
    const lines = linesOf(response)
    expect((await lines.next())?.data).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    const event = { kind: 'resource_updated' as const, uri: 'signalbox://inbox' }
    life.mcp.tell('another' as SessionId, event)
    life.mcp.tell(harness.attached[0] ?? null, event)
    expect((await lines.next())?.data).toMatchObject({ method: 'notifications/resources/updated' })
    await lines.leave()
  })

  it('gets no answer when the server stops', async () => {
    await using harness = await openMcpHttpHarness()
    const life = await harness.begin()
    const lines = linesOf(
      await wireTo(life.url).post(...request('tools/call', { name: 'hold', arguments: {} }, { progressToken: 1 })),
    )
    await lines.next()
    await until(() => life.holds[0])
    await life[Symbol.asyncDispose]()
    expect(await lines.next()).toBeNull()
  })
})
