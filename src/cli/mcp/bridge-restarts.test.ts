import { describe, expect, it, vi } from 'vitest'
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

const echo = (heard: Heard) => asJson(heard, result(heard, { echo: true }))

describe('a bridge whose server goes away', () => {
  it('repeats a held call with the same mark and session, and the answer comes as if nothing had happened', async () => {
    using side = await openFakeServer(likeMcp((heard) => asEvents(heard)))
    const client = connectBridge(side)
    await client.introduce()
    client.say(call(9, 'tools/call', { name: 'ask_approval' }))
    await until(() => side.of('tools/call').length === 1)
    await side.close()
    side.answer = likeMcp((heard) =>
      heard.method === 'GET' ? asEvents(heard) : asJson(heard, result(heard, { status: 'approved' })),
    )
    await side.open()
    expect(await client.answerTo(9)).toMatchObject({ result: { status: 'approved' } })
    const [first, second] = side.of('tools/call')
    expect(second?.body).toBe(first?.body)
    for (const header of ['x-signalbox-call', 'mcp-session-id', 'mcp-protocol-version'])
      expect(second?.headers[header]).toBe(first?.headers[header])
    await until(() => side.of('GET').length === 2)
    expect(client.got.filter(({ id }) => id === 9)).toHaveLength(1)
    client.input.end()
    await client.bridge.done
  })

  it('repeats a call whose stream ended midway, or that a stopping server postponed', async () => {
    let times = 0
    using side = await openFakeServer((heard) => {
      times += 1
      if (times === 1) heard.response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n')
      else if (times === 2) asJson(heard, { error: { code: 'stopping', message: 'Stopping.' } }, {}, 503)
      else if (times === 3) {
        asEvents(heard)
        heard.response.write('data: {"half":')
        heard.response.destroy()
      } else echo(heard)
    })
    const client = connectBridge(side)
    client.say(call(1, 'tools/call'))
    await client.answerTo(1)
    expect(times).toBe(4)
    expect(new Set(side.heard.map(({ headers }) => headers['x-signalbox-call'])).size).toBe(1)
    client.input.end()
    await client.bridge.done
  })

  it('asks for the rest of an answer that has begun, and repeats no answered call', async () => {
    using side = await openFakeServer(
      likeMcp((heard) => {
        if (heard.method === 'GET' && heard.headers['last-event-id'] === undefined) return asEvents(heard)
        asEvents(heard)
        if (heard.method === 'GET')
          return void heard.response.end(event(result({ ...heard, json: { id: 1 } }, 'kept'), 'c-2'))
        heard.response.write('id: c-1\ndata: \n\n', () => heard.response.destroy())
      }),
    )
    const client = connectBridge(side)
    await client.introduce()
    client.say(call(1, 'remote_log'))
    expect(await client.answerTo(1)).toMatchObject({ result: 'kept' })
    expect(side.of('remote_log')).toHaveLength(1)
    expect(side.of('GET').some(({ headers }) => headers['last-event-id'] === 'c-1')).toBe(true)
    client.input.end()
    await client.bridge.done
  })

  it.each([
    ['refuses the position', (heard: Heard) => asJson(heard, { error: { code: -32000, message: 'Which?' } }, {}, 400)],
    [
      'has nothing more',
      (heard: Heard) => heard.response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    ],
    [
      'has no record of the call',
      (heard: Heard) => asJson(heard, { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'No record' } }),
    ],
  ])('repeats a call if the server that is asked for the rest %s', async (_what, answerRest) => {
    using side = await openFakeServer(
      likeMcp((heard) => {
        if (heard.method === 'GET')
          return heard.headers['last-event-id'] === undefined ? asEvents(heard) : answerRest(heard)
        if (side.of('tools/call').length > 1) return echo(heard)
        asEvents(heard)
        heard.response.write('id: c-1\ndata: \n\n', () => heard.response.destroy())
      }),
    )
    const client = connectBridge(side)
    await client.introduce()
    client.say(call(1, 'tools/call'))
    expect(await client.answerTo(1)).toMatchObject({ result: { echo: true } })
    const [first, second] = side.of('tools/call')
    expect(second?.headers['x-signalbox-call']).toBe(first?.headers['x-signalbox-call'])
    client.input.end()
    await client.bridge.done
  })

  it('uses its token’s session if the server does not accept its own name', async () => {
    using side = await openFakeServer(likeMcp(echo))
    const { answer } = side
    side.answer = (heard) =>
      heard.url.searchParams.has('session_id')
        ? asJson(heard, { error: { code: 'x', message: 'No.' } }, {}, 404)
        : answer(heard)
    const client = connectBridge(side, { isOwnName: true })
    await client.introduce()
    expect(side.of('initialize')[1]?.url.search).toBe('?workspace=%2Fw')
    client.input.end()
    await client.bridge.done
  })

  it('initializes again, unnoticed by the client, if the server no longer knows its session', async () => {
    let opened = 0
    using side = await openFakeServer(
      likeMcp(
        (heard) => {
          if (heard.headers['mcp-session-id'] === `mcp-${opened}`)
            return heard.method === 'GET' ? asEvents(heard) : echo(heard)
          asJson(heard, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, {}, 404)
        },
        () => `mcp-${(opened += 1)}`,
      ),
    )
    const client = connectBridge(side)
    await client.introduce()
    await until(() => side.of('GET').length === 1)
    opened = 7
    client.say(call(1, 'a'), call(2, 'b'))
    await Promise.all([client.answerTo(1), client.answerTo(2)])
    expect(side.of('initialize').map(({ json }) => json.params)).toEqual([
      { protocolVersion: '2025-11-25' },
      { protocolVersion: '2025-11-25' },
    ])
    await until(() => side.of('notifications/initialized').length === 2)
    expect(new Set(client.got.map(({ id }) => id))).toEqual(new Set(['init', 1, 2]))
    expect(client.got).toHaveLength(3)
    await until(() => side.of('GET').at(-1)?.headers['mcp-session-id'] === 'mcp-8')
    client.input.end()
    await client.bridge.done
  })

  it('tells the client when even the new session is unknown', async () => {
    using side = await openFakeServer(
      likeMcp((heard) => asJson(heard, { error: { code: 'session_not_found', message: 'Gone.' } }, {}, 404)),
    )
    const client = connectBridge(side)
    await client.introduce()
    client.say(call(1, 'a'))
    expect(await client.answerTo(1)).toMatchObject({ error: { message: 'Gone.' } })
    client.input.end()
    await client.bridge.done
  })

  it('keeps listening from the last event it received', async () => {
    using side = await openFakeServer(
      likeMcp((heard) => {
        asEvents(heard)
        heard.response.end(event({ jsonrpc: '2.0', method: 'notifications/message' }, `e-${side.of('GET').length}`))
      }),
    )
    const client = connectBridge(side)
    await client.introduce()
    await until(() => side.of('GET').length >= 3)
    expect(
      side
        .of('GET')
        .map(({ headers }) => headers['last-event-id'])
        .slice(0, 3),
    ).toEqual([undefined, 'e-1', 'e-2'])
    client.input.end()
    await client.bridge.done
  })

  it('starts a server at once if there is none, and one for all who wait', async () => {
    using side = await openFakeServer(echo)
    await side.close()
    const start = vi.fn<() => Promise<void>>(() => side.open())
    const client = connectBridge(side, { start })
    client.say(call(1, 'a'), call(2, 'b'), call(3, 'c'))
    await Promise.all([1, 2, 3].map((id) => client.answerTo(id)))
    expect(start).toHaveBeenCalledTimes(1)
    client.input.end()
    await client.bridge.done
  })

  it('starts one again only after a while, and only if someone waits for an answer', async () => {
    using side = await openFakeServer(likeMcp((heard) => (heard.method === 'GET' ? asEvents(heard) : echo(heard))))
    const start = vi.fn<() => Promise<void>>(() => side.open())
    const client = connectBridge(side, { start, patience: { startAfterMs: 300 } })
    await client.introduce()
    await until(() => side.of('GET').length === 1)
    const began = performance.now()
    await side.close()
    await until(() => client.notes.some((note) => note.includes('waiting for it to come back')))
    expect(start).not.toHaveBeenCalled()
    client.say(call(1, 'a'))
    await client.answerTo(1)
    expect(start).toHaveBeenCalledTimes(1)
    expect(performance.now() - began).toBeGreaterThan(300)
    client.input.end()
    await client.bridge.done
  })

  it('gives up after its timeout, reports why, and retries with the next call', async () => {
    using side = await openFakeServer(echo)
    await side.close()
    const client = connectBridge(side, { patience: { giveUpAfterMs: 100 } })
    client.say(call(1, 'a'))
    expect(await client.answerTo(1)).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('No Signalbox is running for the data directory') },
    })
    await side.open()
    client.say(call(2, 'a'))
    expect(await client.answerTo(2)).toMatchObject({ result: { echo: true } })
    client.input.end()
    await client.bridge.done
  })

  it('ends in time if the server is unreachable', async () => {
    using side = await openFakeServer(likeMcp(echo))
    const client = connectBridge(side)
    await client.introduce()
    await side.close()
    client.say(call(1, 'a'))
    client.input.end()
    await client.bridge.done
    expect(client.notes).toContain('The server could not be told that the session ended.')
  })

  it('ends in time if the server does not respond to the close', async () => {
    using side = await openFakeServer((heard) => (heard.method === 'DELETE' ? null : echo(heard)))
    const client = connectBridge(side, { patience: { goodbyeMs: 50 } })
    client.say(call(1, 'a'))
    await client.answerTo(1)
    client.input.end()
    await client.bridge.done
    expect(side.of('DELETE')).toHaveLength(1)
  })
})
