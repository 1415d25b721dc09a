import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import {
  asEvents,
  asJson,
  call,
  connectBridge,
  event,
  likeMcp,
  openFakeServer,
  result,
  type Heard,
} from '../../../test/support/mcp-fake-server.ts'

const echo = (heard: Heard) => asJson(heard, result(heard, { echo: heard.json.params ?? null }))

describe('the bridge', () => {
  it('passes a call on and writes its answer as one line, even if it spans several', async () => {
    using side = await openFakeServer((heard) => {
      heard.response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(result(heard, { exact: '1e3' }), null, 2))
    })
    const client = connectBridge(side)
    client.say(call(1, 'tools/list'))
    expect(await client.answerTo(1)).toMatchObject({ result: { exact: '1e3' } })
    expect(side.heard[0]?.url.search).toBe('?session_id=s-1&workspace=%2Fw')
    expect(side.heard[0]?.headers['x-signalbox-call']).toMatch(/^[\da-f-]{36}$/)
    client.input.end()
    await client.bridge.done
  })

  it('answers `initialize` also to a client that closed its input, however slow the server is', async () => {
    const answer = Promise.withResolvers<void>()
    const answers = likeMcp(echo)
    using side = await openFakeServer((heard) => void answer.promise.then(() => answers(heard)))
    const client = connectBridge(side, { patience: { graceMs: 0 } })
    client.say(call(1, 'initialize', { protocolVersion: '2025-11-25' }))
    client.input.end()
    await until(() => side.heard.length > 0)
    setImmediate(answer.resolve)
    expect(await client.answerTo(1)).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    await client.bridge.done
  })

  it('passes on events that come before the answer', async () => {
    using side = await openFakeServer((heard) => {
      asEvents(heard)
      heard.response.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }))
      heard.response.write(': still here\n\n')
      heard.response.end(event(result(heard, 'yes')))
    })
    const client = connectBridge(side)
    client.say(call('a', 'tools/call', { name: 'ask_approval' }))
    await client.answerTo('a')
    expect(client.got.map(({ method, result: said }) => method ?? said)).toEqual(['notifications/progress', 'yes'])
    client.input.end()
    await client.bridge.done
  })

  it('keeps the MCP session and revision from initialize, and receives messages that the server initiates', async () => {
    using side = await openFakeServer(
      likeMcp((heard) => {
        if (heard.method !== 'GET') return echo(heard)
        asEvents(heard)
        heard.response.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, 'e-7'))
      }),
    )
    const client = connectBridge(side)
    await client.introduce()
    client.say(call(2, 'tools/list'))
    await client.answerTo(2)
    await until(() => client.got.some(({ method }) => method === 'notifications/tools/list_changed'))
    const link = { 'mcp-session-id': 'mcp-1', 'mcp-protocol-version': '2025-11-25' }
    expect(side.of('initialize')[0]?.headers).not.toHaveProperty('mcp-session-id')
    for (const method of ['notifications/initialized', 'tools/list', 'GET'])
      expect(side.of(method)[0]?.headers).toMatchObject(link)
    client.input.end()
    await client.bridge.done
    expect(side.of('DELETE')[0]?.headers).toMatchObject(link)
  })

  it('sends the headers of 2026-07-28, from the body', async () => {
    using side = await openFakeServer(echo)
    const client = connectBridge(side)
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    client.say(call(1, 'tools/call', { name: 'grüß', _meta }), call(2, 'server/discover', { _meta }))
    await client.answerTo(1)
    await client.answerTo(2)
    expect(side.of('tools/call')[0]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('grüß').toString('base64')}?=`,
    })
    expect(side.of('server/discover')[0]?.headers).not.toHaveProperty('mcp-name')
    client.input.end()
    await client.bridge.done
    expect(side.of('DELETE')[0]?.url.searchParams.get('session_id')).toBe('s-1')
  })

  it('answers a line that is not JSON or not a message, and ignores blank lines', async () => {
    using side = await openFakeServer(echo)
    const client = connectBridge(side)
    client.say('{nonsense', '', '[]', '{"id":1}', '{"id":null,"method":"x"}')
    await until(() => client.got.length === 4)
    const codes = client.got.map(({ id, error }) => [id, (error as { code: number }).code])
    expect(codes).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
    ])
    expect(side.heard).toEqual([])
    client.input.end()
    await client.bridge.done
  })

  it('sends the calls of a batch one by one', async () => {
    using side = await openFakeServer(echo)
    const client = connectBridge(side)
    client.say(JSON.stringify([call(1, 'ping'), call(2, 'ping')]))
    await Promise.all([client.answerTo(1), client.answerTo(2)])
    expect(side.of('ping')).toHaveLength(2)
    client.input.end()
    await client.bridge.done
  })

  it('carries messages of 16 MB both ways, and refuses larger ones', async () => {
    using side = await openFakeServer((heard) => {
      asEvents(heard)
      heard.response.end(event(result(heard, heard.json.params?.['text'])))
    })
    const client = connectBridge(side)
    const text = 'ä'.repeat(8 * 1024 * 1024 - 100)
    client.say(call(1, 'tools/call', { text }))
    expect((await client.answerTo(1))['result']).toBe(text)
    client.say(call(2, 'tools/call', { text: `${text}${'x'.repeat(1000)}` }))
    await until(() => client.got.length === 2)
    expect(client.got[1]).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringContaining('16 MB') },
    })
    client.input.end()
    await client.bridge.done
  })

  it('holds many calls at once and answers each as it comes', async () => {
    const held: Heard[] = []
    using side = await openFakeServer((heard) => {
      asEvents(heard)
      held.push(heard)
    })
    const client = connectBridge(side)
    client.say(...Array.from({ length: 300 }, (_, id) => call(id, 'tools/call', { name: 'wait' })))
    await until(() => held.length === 300)
    for (const heard of held.toReversed()) heard.response.end(event(result(heard, 'go')))
    await until(() => client.got.length === 300)
    expect(new Set(side.heard.map(({ headers }) => headers['x-signalbox-call'])).size).toBe(300)
    client.input.end()
    await client.bridge.done
  })

  it('reads no more from the server than its client takes', async () => {
    let sent = 0
    using side = await openFakeServer((heard) => {
      asEvents(heard)
      const line = event({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(100_000) } })
      const pump = () => {
        sent += 1
        if (sent === 1000) heard.response.end(event(result(heard, 'done')))
        else if (heard.response.write(line)) pump()
        else heard.response.once('drain', pump)
      }
      pump()
    })
    const client = connectBridge(side, { deaf: true })
    client.say(call(1, 'tools/call'))
    await until(() => client.output.writableNeedDrain)
    expect(sent).toBeLessThan(200)
    client.output.resume()
    await until(() => sent === 1000)
    client.input.end()
    await client.bridge.done
  })

  it('passes on the server’s refusals', async () => {
    using side = await openFakeServer((heard) => {
      if (heard.json.method === 'a')
        asJson(heard, { error: { code: 'workspace_required', message: 'Where?', hint: 'Say it.' } }, {}, 400)
      else if (heard.json.method === 'b')
        asJson(heard, { jsonrpc: '2.0', id: null, error: { code: -32020, message: 'Mismatch', data: 1 } }, {}, 400)
      else heard.response.writeHead(413).end('too much')
    })
    const client = connectBridge(side)
    client.say(call(1, 'a'), call(2, 'b'), call(3, 'c'))
    expect(await client.answerTo(1)).toMatchObject({
      error: { code: -32000, message: 'Where? Say it.', data: { status: 400, code: 'workspace_required' } },
    })
    expect(await client.answerTo(2)).toMatchObject({ error: { code: -32020, message: 'Mismatch', data: 1 } })
    expect(await client.answerTo(3)).toMatchObject({ error: { code: -32000, data: { status: 413 } } })
    client.input.end()
    await client.bridge.done
  })

  it('forwards a cancellation and writes no answer to the call', async () => {
    using side = await openFakeServer(likeMcp((heard) => asEvents(heard)))
    const client = connectBridge(side)
    await client.introduce()
    client.say(call(5, 'tools/call'))
    const [held] = await until(() => (side.of('tools/call').length > 0 ? side.of('tools/call') : null))
    client.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
    await until(() => side.of('notifications/cancelled').length === 1 && held?.response.closed)
    client.input.end()
    await client.bridge.done
    expect(client.got.filter(({ id }) => id === 5)).toEqual([])
  })

  it('ends the connection of a cancelled call of 2026-07-28, and does nothing else', async () => {
    using side = await openFakeServer((heard) => asEvents(heard))
    const client = connectBridge(side)
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    client.say(call(5, 'tools/call', { _meta }))
    const [held] = await until(() => (side.heard.length > 0 ? side.heard : null))
    client.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
    await until(() => held?.response.closed)
    expect(side.of('notifications/cancelled')).toEqual([])
    client.input.end()
    await client.bridge.done
  })

  it('still writes answers that are almost there when the client closes its end', async () => {
    using side = await openFakeServer(likeMcp(echo))
    const client = connectBridge(side)
    client.say(call(1, 'initialize'), call(2, 'tools/list'))
    client.input.end()
    await client.bridge.done
    expect(client.got.map(({ id }) => id)).toEqual([1, 2])
    expect(side.of('DELETE')).toHaveLength(1)
  })

  it('closes the session when it is stopped while a call is held', async () => {
    using side = await openFakeServer(
      likeMcp((heard) => (heard.method === 'DELETE' ? asJson(heard, {}) : asEvents(heard))),
    )
    const client = connectBridge(side)
    await client.introduce()
    client.say(call(1, 'tools/call'))
    await until(() => side.of('tools/call').length > 0)
    client.bridge.stop()
    await client.bridge.done
    expect(side.of('DELETE')).toHaveLength(1)
  })
})
