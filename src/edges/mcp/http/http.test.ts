import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text as streamText } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { call, connect, initialize, linesOf, wireTo } from '../../../../test/support/mcp-wire.ts'
import { openMcpHttpHarness, someone } from '../../../../test/support/mcp-http-harness.ts'
import { until } from '../../../../test/world.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newRandomId } from '../../../lib/id.ts'

const ping = { jsonrpc: '2.0', id: 9, method: 'ping' }

describe('the official client', () => {
  it('does not notice that the server was killed and restarted', async () => {
    await using harness = await openMcpHttpHarness()
    const one = await harness.begin()
    let url = one.url
    const client = new Client({ name: 'official', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${one.url}/mcp`), {
      fetch: (input, init) => fetch(new URL(new URL(input).pathname, url), init),
    })
    await client.connect(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'hold', 'who'])
    await one.kill()
    await using two = await harness.begin()
    url = two.url
    const { content } = await client.callTool({ name: 'who' })
    expect(content).toMatchObject([{ text: expect.stringContaining('"client":"official"') }])
    expect(new Set(harness.attached).size).toBe(1)
    expect(transport.sessionId).not.toBe(harness.attached[0])
    await transport.terminateSession()
    expect(harness.goodbyes).toEqual([harness.attached[0]])
    await client.close()
  })
})

describe('a connection', () => {
  it('belongs to its caller: another person, or another token of the same person, finds nothing', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    harness.admit('mine', {})
    harness.admit('other', {})
    harness.admit('foreign', { userId: someone() })
    const { id } = await connect(life.url, 'mine')
    const statuses = ['mine', 'other', 'foreign'].map(async (bearer) => {
      const wire = wireTo(life.url, { authorization: `Bearer ${bearer}`, 'mcp-session-id': id })
      return (await wire.post(ping)).status
    })
    expect(await Promise.all(statuses)).toEqual([200, 404, 404])
  })

  it('is open to a token made for its session, also after a restart', async () => {
    await using harness = await openMcpHttpHarness()
    const one = await harness.begin()
    harness.admit('mine', {})
    const { id } = await connect(one.url, 'mine')
    harness.admit('for it', { sessionId: harness.attached[0] as SessionId })
    harness.admit('for another', { sessionId: newRandomId<SessionId>() })
    await one.kill()
    await using two = await harness.begin()
    const status = async (bearer: string) =>
      (await wireTo(two.url, { authorization: `Bearer ${bearer}`, 'mcp-session-id': id }).post(ping)).status
    expect(await status('for another')).toBe(404)
    expect(await status('for it')).toBe(200)
  })

  it('ends with DELETE; its session ends with the last one', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const first = await connect(life.url)
    harness.admit('same session', { sessionId: harness.attached[0] as SessionId })
    const second = await connect(life.url, 'same session')
    expect((await first.wire.delete()).status).toBe(200)
    expect(harness.goodbyes).toEqual([])
    expect((await first.wire.post(ping)).status).toBe(404)
    expect((await second.wire.delete()).status).toBe(200)
    expect(harness.goodbyes).toEqual([harness.attached[0]])
  })

  it('unused for half an hour is dropped, and restored when it is used', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    expect(harness.attached).toHaveLength(1)
    harness.world.clock.advance(31 * 60_000)
    expect((await wire.post(ping)).status).toBe(200)
    expect(harness.attached).toHaveLength(2)
    expect((await wire.post(ping)).status).toBe(200)
    expect(harness.attached).toHaveLength(2)
  })

  it('counts as active while it has a reader', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { id, wire } = await connect(life.url)
    const lines = linesOf(await wire.get())
    const before = await harness.world.app.connections.find(id)
    harness.world.clock.advance(61_000)
    const after = await until(async () => {
      const now = await harness.world.app.connections.find(id)
      return now?.lastSeenAt === before?.lastSeenAt ? undefined : now
    })
    expect(Date.parse(after.lastSeenAt) - Date.parse(after.createdAt)).toBeGreaterThanOrEqual(60_000)
    await lines.leave()
  })

  it('is dropped when its token is no longer accepted', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const lines = linesOf(await wire.get())
    await lines.next()
    life.mcp.dropWhere(({ userId }) => userId === harness.caller.userId)
    expect(await lines.next()).toBeNull()
  })
})

describe('invalid requests', () => {
  const cases: [string, unknown, Record<string, string>, number, number][] = [
    ['no JSON', '{"jsonrpc":', {}, 400, -32700],
    ['endlessly nested JSON', '['.repeat(5000), {}, 400, -32700],
    ['a NUL', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\u0000"}}', {}, 400, -32700],
    ['no JSON-RPC', { hello: 'there' }, {}, 400, -32600],
    ['no messages at all', [], {}, 400, -32600],
    ['text', ping, { 'content-type': 'text/plain' }, 415, -32000],
    ['for a client that does not accept streams', ping, { accept: 'application/json' }, 406, -32000],
    ['in an unknown revision', ping, { 'mcp-protocol-version': '1999-01-01' }, 400, -32000],
    ['as a batch in a revision without batches', [ping], { 'mcp-protocol-version': '2025-06-18' }, 400, -32600],
    ['initialize in a batch', [initialize(), ping], {}, 400, -32600],
    ['initialize without params', { jsonrpc: '2.0', id: 1, method: 'initialize' }, {}, 400, -32600],
    ['on an unknown session', ping, { 'mcp-session-id': newRandomId() }, 404, -32001],
  ]
  it.each(cases)('%s is refused', async (_name, body, headers, status, code) => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const response = await wire.post(body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
  })

  it('without a session gets an error that says what to do', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const response = await wireTo(life.url).post(ping)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('Mcp-Session-Id') } })
  })

  it('that is too large gets an error with the limit, however it is sent', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin({ bodyLimit: 2000 })
    const { wire, on } = await connect(life.url)
    const large = JSON.stringify(call(1, 'echo', { arguments: { text: 'x'.repeat(3000) } }))
    const declared = await wire.post(large)
    const chunked = await fetch(`${life.url}/mcp`, {
      method: 'POST',
      headers: { ...on, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    })
    for (const response of [declared, chunked]) {
      expect(response.status).toBe(413)
      const told = expect.stringMatching(/2000 bytes.*body_limit_bytes under \[http\]/)
      expect(await response.json()).toMatchObject({ error: { message: told, data: { limit: 2000 } } })
    }
  })

  it('to an unknown workspace is refused, and leaves nothing behind', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const response = await fetch(`${life.url}/mcp?workspace_id=nowhere`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(initialize()),
    })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ id: 0, error: { data: { code: 'unknown_workspace' } } })
    const rows = await harness.world.database.read.selectFrom('mcp_connections').selectAll().execute()
    expect(rows).toEqual([])
  })

  it('with an id in use is refused, and the other request continues', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const lines = linesOf(await wire.post(call(1, 'hold')))
    const hold = await until(() => life.holds[0])
    const second = await wire.post(call(1, 'echo'))
    expect([second.status, await second.json()]).toMatchObject([400, { id: 1, error: { code: -32600 } }])
    hold.release()
    expect(await lines.answer()).toMatchObject({ id: 1, result: {} })
  })
})

describe('messages', () => {
  it('of 2025-03-26 may come in batches, answered on one stream', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url, undefined, '2025-03-26')
    const lines = linesOf(await wire.post([call(1, 'echo'), { jsonrpc: '2.0', id: 2, method: 'tools/list' }]))
    const ids = [(await lines.answer())['id'], (await lines.answer())['id']]
    expect(new Set(ids)).toEqual(new Set([1, 2]))
    expect(await lines.next()).toBeNull()
  })

  it('that are answered quickly leave one row each, and none before they are written', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    for (const id of [1, 2, 3]) await linesOf(await wire.post(call(id, 'echo'))).answer()
    const rows = () => harness.world.database.read.selectFrom('mcp_events').selectAll().execute()
    expect(await rows()).toEqual([])
    harness.world.clock.advance(100)
    await until(async () => (await rows()).length === 3)
    expect((await rows()).map(({ seq }) => seq)).toEqual([1, 1, 1])
  })

  it('of 16 MB are accepted', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const text = 'x'.repeat(15 * 1024 * 1024)
    const response = await wire.post(call(1, 'echo', { arguments: { text } }))
    expect((await response.text()).length).toBeGreaterThan(text.length)
  })

  it('keep a quiet stream alive every few seconds', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const { wire } = await connect(life.url)
    const response = await wire.post(call(1, 'hold'))
    await until(() => life.holds[0])
    harness.world.clock.advance(15_000)
    life.holds[0]?.release()
    expect(await response.text()).toContain(': still here\n\n')
  })

  it('to a client that reads too slowly end early, and the rest is there when it returns', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin({ bodyLimit: 64 * 1024 * 1024 })
    const { wire, on } = await connect(life.url, undefined, '2025-03-26')
    const large = { arguments: { text: 'x'.repeat(9 * 1024 * 1024) } }
    const body = JSON.stringify([call(1, 'echo', large), call(2, 'echo', large), call(3, 'echo', large)])
    const headers = { ...on, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const lazy = request(`${life.url}/mcp`, { method: 'POST', headers, agent: false })
    lazy.end(body)
    const [response] = (await once(lazy, 'response')) as [IncomingMessage]
    // Others are served while it does not read.
    expect((await wire.post(ping)).status).toBe(200)
    const idsIn = (text: string) => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id = '']) => id)
    const ids = idsIn(await streamText(response))
    expect(ids.length).toBeLessThan(3)
    while (ids.length < 3) {
      const rest = await wire.get({ 'last-event-id': ids.at(-1) ?? '' })
      ids.push(...idsIn(await rest.text()))
    }
    expect(new Set(ids).size).toBe(3)
  })

  it('that are held are counted by session', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const [first, second] = [await connect(life.url), await connect(life.url)]
    await first.wire.post(call(1, 'hold'))
    await first.wire.post(call(2, 'hold'))
    await second.wire.post(call(1, 'hold'))
    const counts = await until(() => (life.holds.length === 3 ? life.mcp.held() : undefined))
    expect([...counts]).toEqual([
      [harness.attached[0], 2],
      [harness.attached[1], 1],
    ])
  })
})
