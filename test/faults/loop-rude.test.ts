import { connect as dial } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LoopClient, Said } from '../support/loop-client.ts'
import { diffTo } from '../support/loop-files.ts'
import { openLoopHarness, type LoopHarness } from '../support/loop-harness.ts'
import { call, connect, initialize, linesOf, wireTo } from '../support/mcp-wire.ts'
import { until } from '../support/until.ts'
import { figure, scale } from '../support/scale.ts'

const proposal = (title: string, n: number) => ({ title, diff: diffTo(`w${n}`, 1), file_path: 'a.txt' })
const failed = (error: unknown): Error => new Error(String(error))
const refine = (instruction: string) => ({ outcome: 'refine', instruction })

describe('clients that behave badly', () => {
  let harness: LoopHarness
  let place = -1
  let idle = 0
  beforeAll(async () => {
    harness = await openLoopHarness({ places: 40 })
    idle = harness.memory()
  })
  afterAll(() => harness[Symbol.asyncDispose]())

  async function agent(way?: 'http' | 'http-2026' | 'stdio') {
    place += 1
    const n = place
    const client = await harness.connect(n, way)
    const begin = async (title: string, at: LoopClient = client) => {
      const done: Promise<Said | Error> = at.call('ask_approval', proposal(title, n)).catch(failed)
      return { ask: await harness.openAsk(title), done }
    }
    return { n, client, begin, spot: harness.spot(n), [Symbol.asyncDispose]: () => client.kill() }
  }
  const statusOf = async (id: string) => (await harness.server.owner.get<{ status: string }>(`/api/asks/${id}`)).status

  const calls = scale({ test: 500, long: 2000 })
  it(`a flood of ${calls} quick calls is answered, and so are the calls that wait meanwhile`, async () => {
    await using waiter = await agent()
    const { ask, done } = await waiter.begin('beside the flood')
    await using flooder = await agent()
    const before = harness.memory()
    const ends: Said[] = []
    let sent = 0
    const beat = async () => {
      while (sent < calls) {
        sent += 1
        ends.push(await flooder.client.call('heartbeat', { status_message: `beat ${sent}` }))
      }
    }
    await Promise.all(Array.from({ length: 250 }, beat))
    expect(ends.length).toBe(calls)
    expect(ends.filter((said) => said['acknowledged'] !== true)).toEqual([])
    figure('a flood of calls', `${calls} calls: ${before} MB before, ${harness.memory()} MB after`)
    await harness.answer(ask, { outcome: 'reject', reason: 'still here' })
    expect(await done).toMatchObject({ status: 'rejected', reason: 'still here' })
    expect(harness.memory()).toBeLessThan(idle + 300)
  })

  it('clients that do not read use bounded memory, and block nobody', async () => {
    const { on } = await connect(harness.server.address(), harness.spot(0).token, '2025-03-26')
    const batch = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })))
    const { hostname, port } = new URL(harness.server.address())
    const before = harness.memory()
    const sockets = Array.from({ length: 30 }, (_, n) => {
      const socket = dial(Number(port), hostname)
      socket.on('error', () => {})
      socket.pause()
      const body = batch.replaceAll('"id":', `"id":${n + 1}00`)
      const headers = { ...on, host: `${hostname}:${port}`, accept: 'application/json, text/event-stream' }
      const lines = Object.entries({ ...headers, 'content-type': 'application/json', 'content-length': body.length })
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n${body}`)
      return socket
    })
    await using other = await agent()
    const { ask, done } = await other.begin('beside slow readers')
    await harness.answer(ask, { outcome: 'reject' })
    expect(await done).toMatchObject({ status: 'rejected' })
    console.log(`30 readers that take nothing: ${before} MB before, ${harness.memory()} MB after`)
    // 3,000 answers that nobody reads, each with every tool and its schemas.
    expect(harness.memory()).toBeLessThan(before + 700)
    for (const socket of sockets) socket.destroy()
  })

  it('a storm of cancellations leaves the asks open, and each can be waited for again', async () => {
    await using one = await agent()
    const calls = Array.from({ length: 100 }, (_, n) => {
      const cancel = new AbortController()
      const input = { prompt_text: `storm ${n}` }
      return { cancel, done: one.client.call('forward_prompt', input, { signal: cancel.signal }).catch(failed) }
    })
    const asks = await until(async () => {
      const open = (await harness.openAsks()).filter(({ title }) => title.startsWith('storm '))
      return open.length === 100 ? open : null
    })
    for (const { cancel } of calls) cancel.abort()
    expect(await Promise.all(calls.map(({ done }) => done))).toSatisfy((ends: unknown[]) =>
      ends.every((end) => end instanceof Error),
    )
    const { on, wire } = await connect(harness.server.address(), one.spot.token)
    const nobody = Array.from({ length: 1000 }, (_, requestId) =>
      wire.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, on),
    )
    expect(new Set((await Promise.all(nobody)).map(({ status }) => status))).toEqual(new Set([202]))
    expect((await harness.openAsks()).filter(({ title }) => title.startsWith('storm ')).length).toBe(100)
    const again = asks.map(async (ask) => {
      const said = await one.client.call('forward_prompt', { request_id: ask.id })
      return said['instruction'] === ask.title
    })
    await Promise.all(asks.map((ask) => harness.answer(ask, refine(ask.title))))
    expect(new Set(await Promise.all(again))).toEqual(new Set([true]))
  })

  it('reusing an id does not give the answer to something else', async () => {
    const { wire } = await connect(harness.server.address(), harness.spot(0).token)
    const prompt = (text: string) =>
      call(7, 'forward_prompt', { arguments: { prompt_text: text }, _meta: { progressToken: 1 } })
    const first = linesOf(await wire.post(prompt('first with id 7')))
    const ask = await harness.openAsk('first with id 7')
    // A different one is refused while it is open; the same one replaces it, and asks nothing again.
    expect((await wire.post(prompt('second with id 7'))).status).toBe(400)
    const same = linesOf(await wire.post(prompt('first with id 7')))
    expect((await harness.openAsks()).filter(({ title }) => title.endsWith('with id 7')).length).toBe(1)
    await harness.answer(ask, refine('to the first'))
    expect(JSON.stringify(await same.answer())).toContain('to the first')
    await first.leave()
    const third = linesOf(await wire.post(prompt('third with id 7')))
    const next = await harness.openAsk('third with id 7')
    await harness.answer(next, refine('to the third'))
    expect(JSON.stringify(await third.answer())).toContain('to the third')
  })

  it('reusing another session’s call name does not give its answers', async () => {
    const named = { 'x-signalbox-call': 'call-1' }
    const mine = await connect(harness.server.address(), harness.spot(0).token)
    const theirs = await connect(harness.server.address(), harness.spot(0).token)
    const prompt = (text: string) =>
      call(1, 'forward_prompt', { arguments: { prompt_text: text }, _meta: { progressToken: 1 } })
    const first = linesOf(await mine.wire.post(prompt('named by me'), named))
    const second = linesOf(await theirs.wire.post(prompt('named by them'), named))
    const [one, two] = [await harness.openAsk('named by me'), await harness.openAsk('named by them')]
    await harness.answer(one, refine('for me'))
    await harness.answer(two, refine('for them'))
    expect(JSON.stringify(await first.answer())).toContain('for me')
    expect(JSON.stringify(await second.answer())).toContain('for them')
  })

  it.each(['http', 'http-2026'] as const)(
    'two clients of one session over %s each get their own answers',
    async (way) => {
      await using one = await agent(way)
      const twin = await harness.connect(one.n, way)
      const ask = (client: LoopClient, who: string) =>
        Array.from({ length: 10 }, (_, n) => {
          const title = `${way} ${who} ${n}`
          return { title, done: client.call('forward_prompt', { prompt_text: title }) }
        })
      const calls = [...ask(one.client, 'one'), ...ask(twin, 'twin')]
      const open = await until(async () => {
        const asks = (await harness.openAsks()).filter(({ sessionId }) => sessionId === one.spot.sessionId)
        return asks.length === 20 ? asks : null
      })
      await Promise.all(open.toReversed().map((each) => harness.answer(each, refine(`about ${each.title}`))))
      for (const { title, done } of calls) expect(await done).toMatchObject({ instruction: `about ${title}` })
      await twin.kill()
    },
  )

  it.each(['http', 'http-2026', 'sse'] as const)(
    'over %s a revoked token ends the stream, and the ask stays',
    async (way) => {
      const { id, token } = await harness.server.owner.post<{ id: string; token: string }>('/api/tokens', {
        name: `to be revoked ${way}`,
        scope: 'agent',
      })
      const title = `revoked ${way}`
      const stream = await heldStream(harness, way, token, title)
      const ask = await harness.openAsk(title)
      await harness.server.owner.delete(`/api/tokens/${id}`)
      await until(() => stream.isOver(), { what: 'the end of the stream', seconds: 5 })
      expect(await statusOf(ask.id)).toBe('open')
      const refused = await wireTo(harness.server.address(), { authorization: `Bearer ${token}` }).post(initialize())
      expect(refused.status).toBe(401)
      await harness.answer(ask, refine('too late for it'))
      expect(await statusOf(ask.id)).toBe('answered')
    },
  )

  it('a session cancelled while its ask is held: interrupted, and no more tools', async () => {
    await using one = await agent()
    const { ask, done } = await one.begin('to be cancelled')
    await harness.server.owner.delete(`/api/sessions/${one.spot.sessionId}`)
    expect(await done).toMatchObject({ status: 'interrupted', request_id: ask.id })
    expect(await statusOf(ask.id)).toBe('interrupted')
    expect(await one.client.call('heartbeat', {})).toMatchObject({ isError: true, error_code: 'session_ended' })
  })

  it('a session paused while its ask is held: the answer arrives, the next call waits for resume', async () => {
    await using one = await agent()
    const { ask, done } = await one.begin('held through a pause')
    const { sessionId } = one.spot
    await harness.server.owner.post(`/api/sessions/${sessionId}/pause`, {})
    await harness.answer(ask, { outcome: 'approve' })
    expect(await done).toMatchObject({ status: 'approved' })
    let isDone = false
    const applied = one.client.call('accept_diff', { request_id: ask.id }).finally(() => (isDone = true))
    const beat = one.client.call('heartbeat', {})
    await harness.server.owner.get(`/api/sessions/${sessionId}`)
    expect([isDone, await statusOf(ask.id)]).toEqual([false, 'answered'])
    await harness.server.owner.post(`/api/sessions/${sessionId}/resume`, {})
    expect(await applied).toMatchObject({ status: 'applied' })
    expect(await beat).toMatchObject({ acknowledged: true })
  })

  it.each(['http', 'stdio'] as const)('a killed %s client returns for an answer given meanwhile', async (way) => {
    await using first = await agent(way)
    const { ask } = await first.begin(`asked by a dead ${way}`)
    await first.client.kill()
    await harness.answer(ask, { outcome: 'approve', reason: 'while you were away' })
    const next = await harness.connect(first.n, way)
    const state = await next.call('recover_state', {})
    expect(state).toMatchObject({
      status: 'recovered',
      pending_requests: [{ request_id: ask.id, status: 'answered' }],
    })
    expect(await next.call('ask_approval', { request_id: ask.id })).toMatchObject({
      status: 'approved',
      reason: 'while you were away',
    })
    await next.kill()
  })

  it('and none of that is logged as a bug', () => {
    expect(harness.server.errors).toEqual([])
  })
})

type Stream = { isOver(): boolean }

/** A held question on a stream that is read to its end. */
async function heldStream(
  harness: LoopHarness,
  way: 'http' | 'http-2026' | 'sse',
  token: string,
  title: string,
): Promise<Stream> {
  const address = harness.server.address()
  const authorization = `Bearer ${token}`
  const params = { name: 'forward_prompt', arguments: { prompt_text: title } }
  let response: Response
  if (way === 'http') {
    const { wire } = await connect(address, token)
    response = await wire.post(call(1, 'forward_prompt', { ...params, _meta: { progressToken: 1 } }))
  } else if (way === 'http-2026') {
    const version = '2026-07-28'
    const _meta = {
      progressToken: 1,
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'rude', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    response = await wireTo(address, { authorization }).post(call(1, 'forward_prompt', { ...params, _meta }), {
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': 'forward_prompt',
    })
  } else {
    response = await fetch(`${address}/sse`, { headers: { authorization, accept: 'text/event-stream' } })
    const reader = response.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    const endpoint = /data: (\S+)/.exec(first)?.[1] ?? ''
    const post = (message: unknown) =>
      fetch(new URL(endpoint, address), {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
    await post(initialize('2024-11-05'))
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await post(call(1, 'forward_prompt', params))
    return read(reader)
  }
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return read(response.body?.getReader())
}

function read(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Stream {
  let over = false
  void (async () => {
    for (;;) if ((await reader?.read().catch(() => null))?.done ?? true) break
    over = true
  })()
  return { isOver: () => over }
}
