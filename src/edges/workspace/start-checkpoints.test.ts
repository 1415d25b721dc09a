import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../app/app.ts'
import { newRandomId } from '../../lib/id.ts'
import { silentLogger } from '../../lib/log.ts'
import type { Checkpoints } from './checkpoint/checkpoints.ts'
import { startCheckpoints } from './start-checkpoints.ts'

type Heard = { type: string; sessionId: string | null; data: object }
type Input = Parameters<Checkpoints['create']>[0]

let repo = ''
let plain = ''
beforeAll(() => {
  plain = mkdtempSync(join(tmpdir(), 'signalbox-start-'))
  repo = join(plain, 'repo')
  mkdirSync(join(repo, '.git'), { recursive: true })
})
afterAll(() => rmSync(plain, { recursive: true, force: true }))

function setUp(create: (input: Input) => Promise<unknown> = async () => ({ ok: true })) {
  const made: Input[] = []
  const warned: string[] = []
  let listener: (events: readonly Heard[]) => void = () => {}
  const tail = {
    listen: (heard: typeof listener) => {
      listener = heard
      return { [Symbol.dispose]: () => void (listener = () => {}) }
    },
  }
  const checkpoints = {
    create(input: Input) {
      made.push(input)
      return create(input)
    },
  }
  const log = { ...silentLogger, warn: (_fields: object, text: string) => void warned.push(text) }
  const watch = startCheckpoints({
    app: { tail, read: { session: async () => ({ ok: true, value: { workspaceClaimed: false } }) } } as unknown as App,
    checkpoints: checkpoints as unknown as Checkpoints,
    log,
  })
  const started = (workspaceRoot: string, more: object = {}): Heard => {
    const id = newRandomId<string>()
    return { type: 'session.started', sessionId: id, data: { id, workspaceRoot, protocolMode: 'mcp', ...more } }
  }
  const hear = async (...events: Heard[]) => {
    listener(events)
    // One after another.
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return { made, warned, watch, started, hear }
}

describe('a checkpoint at the start of a session', () => {
  it('is made for Git repositories, by the server itself', async () => {
    const { made, started, hear } = setUp()
    const event = started(repo)
    await hear(event)
    const { sessionId } = event
    const actor = { kind: 'system', name: 'checkpoint' }
    // The key makes it one checkpoint, however many nodes see the start.
    expect(made).toEqual([{ sessionId, label: null, actor, key: `start ${sessionId}` }])
  })

  it('is not made for other directories, terminals or other events', async () => {
    const { made, started, hear } = setUp()
    await hear(started(plain), started(join(plain, 'gone')), started(repo, { protocolMode: 'terminal' }), {
      ...started(repo),
      type: 'session.activated',
    })
    expect(made).toEqual([])
  })

  it('is made one after another; a failure is logged and does not stop the others', async () => {
    let calls = 0
    const { made, warned, started, hear } = setUp(async () => {
      calls += 1
      if (calls === 1) throw new Error('no room')
      return calls === 2 ? { ok: false, fault: { code: 'disk_full' } } : { ok: true }
    })
    await hear(started(repo), started(repo), started(repo))
    expect(made).toHaveLength(3)
    expect(warned).toHaveLength(2)
  })

  it('is not started once the server stops; a running one is awaited', async () => {
    const gate = Promise.withResolvers<object>()
    const { made, watch, started, hear } = setUp(() => gate.promise)
    await hear(started(repo), started(repo))
    let stopped = false
    const stopping = watch[Symbol.asyncDispose]().then(() => {
      stopped = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(stopped).toBe(false)
    gate.resolve({ ok: true })
    await stopping
    expect(made).toHaveLength(1)
  })
})
