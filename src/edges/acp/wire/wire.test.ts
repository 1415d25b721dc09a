import { client, methods } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { until } from '../../../../test/world.ts'
import { silentLogger } from '../../../lib/log.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { createWire } from './wire.ts'

type Sent = {
  key: string
  message: { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: unknown }
}

/** A wire between the real SDK and an agent that is an array of lines. */
function setUp({ life = 'life', write }: { life?: string; write?: () => Result<void> } = {}) {
  const sent: Sent[] = []
  const settled: number[] = []
  const seen: unknown[] = []
  const gate = Promise.withResolvers<void>()
  const app = client({ name: 'test' })
    .onRequest(methods.client.fs.readTextFile, async ({ params, requestId }) => {
      seen.push(requestId)
      if (params.path === '/slow') await gate.promise
      return { content: `of ${params.path} at ${wire.offsetOf(requestId)}` }
    })
    .onNotification('*', ({ method }) => void seen.push(method))
  const wire = createWire({
    client: app,
    log: silentLogger,
    life,
    async write(key, text) {
      const refused = write?.()
      if (refused && !refused.ok) return refused
      expect(text.endsWith('\n')).toBe(true)
      sent.push({ key, message: JSON.parse(text) as Sent['message'] })
      return ok(undefined)
    },
    settled: (offset) => void settled.push(offset),
  })
  const read = (id: unknown, path = '/a') => ({
    jsonrpc: '2.0',
    id,
    method: 'fs/read_text_file',
    params: { sessionId: 's', path },
  })
  return { wire, sent, settled, seen, read, open: gate.resolve }
}

const prompt = { sessionId: 's', prompt: [] }
const answer = (id: unknown, result: unknown = { stopReason: 'end_turn' }) => ({ jsonrpc: '2.0', id, result })

describe('our request', () => {
  it('is sent under its given id, which is also its key, and is settled by its answer', async () => {
    const { wire, sent } = setUp()
    const asked = wire.request('prompt-1', 'session/prompt', prompt)
    await until(() => sent[0])
    expect(sent).toMatchObject([
      { key: 'prompt-1', message: { id: 'prompt-1', method: 'session/prompt', params: prompt } },
    ])
    wire.take(answer('prompt-1'), 120)
    expect(await asked).toEqual(ok({ value: { stopReason: 'end_turn' }, offset: 120 }))
  })

  it('is kept apart from simultaneous ones, in whatever order they are answered', async () => {
    const { wire, sent } = setUp()
    const ids = ['a', 'b', 'c']
    const asked = ids.map((id) => wire.request(id, 'session/prompt', { ...prompt }))
    await until(() => sent.length === 3)
    for (const [index, id] of [...ids].toReversed().entries())
      wire.take(answer(id, { stopReason: 'end_turn', id }), index)
    const answers = await Promise.all(asked)
    expect(answers.map((one) => one.ok && one.value.offset)).toEqual([2, 1, 0])
  })

  it('that the agent refuses gives the reason, wherever the agent puts it', async () => {
    const { wire, sent } = setUp()
    const refused = async (error: object) => {
      const id = `r${sent.length}`
      const asked = wire.request(id, 'session/prompt', { ...prompt })
      await until(() => sent.some(({ key }) => key === id))
      wire.take({ jsonrpc: '2.0', id, error }, 7)
      const result = await asked
      return result.ok ? null : result.fault
    }
    expect(await refused({ code: -32603, message: 'Internal error', data: { message: 'no key' } })).toMatchObject({
      code: 'agent_refused',
      message: 'Internal error: no key',
      details: { rpcCode: -32603, offset: 7 },
    })
    expect((await refused({ code: -32000, message: 'x', data: 'y' }))?.message).toBe('x: y')
    expect((await refused({ code: -32000, message: 'x', data: { details: 'y' } }))?.message).toBe('x: y')
    expect((await refused({ code: -32000, message: 'same', data: 'same' }))?.message).toBe('same')
    expect((await refused({ code: -32000, message: 'x', data: [1] }))?.message).toBe('x')
  })

  it('that can’t be written fails at once', async () => {
    const { wire } = setUp({ write: () => fail({ kind: 'unavailable', code: 'stdin_blocked', message: 'full' }) })
    const result = await wire.request('prompt-1', 'session/prompt', prompt)
    expect(result).toMatchObject({ ok: false, fault: { message: 'full', details: { offset: -1 } } })
  })

  it('is given up when the wire is closed', async () => {
    const { wire, sent } = setUp()
    const asked = wire.request('prompt-1', 'session/prompt', prompt)
    await until(() => sent[0])
    wire.close()
    expect(await asked).toMatchObject({ ok: false, fault: { code: 'agent_gone' } })
  })
})

describe('an answer', () => {
  it('to an unknown request is skipped', async () => {
    const { wire, sent, settled } = setUp()
    const asked = wire.request('prompt-1', 'session/prompt', prompt)
    await until(() => sent[0])
    for (const [offset, id] of ['prompt-2', 0, 1, null, undefined].entries()) wire.take(answer(id), offset)
    expect(settled).toEqual([0, 1, 2, 3, 4])
    wire.take(answer('prompt-1'), 9)
    expect((await asked).ok).toBe(true)
  })

  it('given twice counts once', async () => {
    const { wire, sent, settled } = setUp()
    const asked = wire.request('prompt-1', 'session/prompt', prompt)
    await until(() => sent[0])
    wire.take(answer('prompt-1'), 5)
    wire.take(answer('prompt-1', { stopReason: 'refusal' }), 6)
    expect(await asked).toMatchObject({ value: { value: { stopReason: 'end_turn' }, offset: 5 } })
    expect(settled).toEqual([6])
  })

  it('that comes before its request is repeated is kept for it; other early answers are dropped', async () => {
    const { wire, settled } = setUp()
    wire.expect(['prompt-1'])
    wire.take(answer('prompt-1'), 30)
    wire.take(answer('tune-old'), 40)
    expect(settled).toEqual([40])
    expect(await wire.request('prompt-1', 'session/prompt', prompt)).toMatchObject({ value: { offset: 30 } })
  })

  it('that was kept and is no longer expected is dropped', () => {
    const { wire, settled } = setUp()
    wire.expect(['initialize'])
    wire.take(answer('initialize'), 30)
    wire.expect([])
    expect(settled).toEqual([30])
  })
})

describe('two runs of the server', () => {
  it('never write different lines under one key, and never take each other’s answers', async () => {
    const [one, two] = [setUp({ life: 'one' }), setUp({ life: 'two' })]
    for (const { wire } of [one, two]) {
      await wire.notify('session/cancel', { sessionId: 's' })
      // Not one of ours: the SDK chose its id.
      void wire.request('prompt-1', 'session/prompt', { ...prompt })
    }
    await until(() => one.sent.length === 2 && two.sent.length === 2)
    const keys = (world: typeof one) => world.sent.map(({ key }) => key).filter((key) => key !== 'prompt-1')
    expect(keys(one)).toHaveLength(1)
    expect(keys(one)).not.toEqual(keys(two))
  })
})

describe('an agent’s call', () => {
  it.each([0, 7, 'b7a1', '0', '', 1.5])('is answered under its own id (%j), keyed by its offset', async (id) => {
    const { wire, sent, settled, read } = setUp()
    wire.take(read(id), 44)
    await until(() => settled[0])
    expect(sent).toEqual([{ key: 'reply-44', message: { jsonrpc: '2.0', id, result: { content: 'of /a at 44' } } }])
  })

  it('and our request may have the same id', async () => {
    const { wire, sent, read } = setUp()
    const asked = wire.request('0', 'session/prompt', prompt)
    wire.take(read('0'), 10)
    await until(() => sent.length === 2)
    wire.take(answer('0'), 20)
    expect(await asked).toMatchObject({ value: { offset: 20 } })
    expect(sent.map(({ key }) => key).toSorted()).toEqual(['0', 'reply-10'])
  })

  it('may reuse an id after it was answered, not before', async () => {
    const { wire, sent, settled, seen, read, open } = setUp()
    wire.take(read(1, '/slow'), 10)
    wire.take(read(1), 20)
    expect(settled).toEqual([20])
    open()
    await until(() => settled.length === 2)
    wire.take(read(1), 30)
    await until(() => settled.length === 3)
    expect(sent.map(({ key }) => key)).toEqual(['reply-10', 'reply-30'])
    expect(seen).toEqual([1, 1])
  })

  it('handled again from storage, and read again, is handled once', async () => {
    const { wire, sent, seen, read, open } = setUp()
    wire.take(read(1, '/slow'), 10)
    wire.take(read(1, '/slow'), 10)
    open()
    await until(() => sent[0])
    expect(seen).toEqual([1])
  })

  it.each([null, true, {}, []])('with an invalid id (%j) is skipped', (id) => {
    const { wire, settled, read, seen } = setUp()
    wire.take(read(id), 10)
    expect(settled).toEqual([10])
    expect(seen).toEqual([])
  })

  it('that is unknown or invalid is refused, and other calls continue', async () => {
    const { wire, sent, settled, read } = setUp()
    wire.take({ jsonrpc: '2.0', id: 1, method: 'fs/format_disk', params: {} }, 10)
    wire.take({ jsonrpc: '2.0', id: 2, method: 'fs/read_text_file', params: { path: 7 } }, 20)
    wire.take({ jsonrpc: '2.0', id: 3, method: 9 }, 30)
    wire.take(read(4), 40)
    await until(() => settled.length === 4)
    expect(sent.find(({ key }) => key === 'reply-10')?.message.error).toMatchObject({ code: -32601 })
    expect(sent.find(({ key }) => key === 'reply-20')?.message.error).toMatchObject({ code: -32602 })
    expect(sent.find(({ key }) => key === 'reply-40')?.message.result).toBeDefined()
  })

  it('that wants no answer gets none', async () => {
    const { wire, sent, settled, seen } = setUp()
    wire.take({ jsonrpc: '2.0', method: '_auth/status_update', params: {} }, 10)
    await until(() => seen[0])
    expect(settled).toEqual([10])
    expect(sent).toEqual([])
  })

  it('is not answered by a server that is stopping: the next one answers', async () => {
    const { wire, sent, seen, read, open } = setUp()
    wire.take(read(1, '/slow'), 10)
    await until(() => seen[0])
    wire.close()
    open()
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toEqual([])
  })
})
