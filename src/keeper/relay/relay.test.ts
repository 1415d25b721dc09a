import { mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../lib/log.ts'
import type { RelaySpec } from '../protocol/types.ts'
import { isDirect } from '../../lib/relay/line-relay.ts'
import { createRelays } from './relay.ts'

async function setUp(more: Partial<RelaySpec> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'sbr-'))
  const seen: string[] = []
  // Replies with what it received once the other side has finished.
  const far = createServer({ allowHalfOpen: true }, (socket) => {
    let heard = ''
    socket.on('data', (piece) => (heard += String(piece)))
    socket.on('end', () => {
      seen.push(heard)
      socket.end(`heard ${heard.length}`)
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => {
    far.listen(0, '127.0.0.1', resolve)
  })
  const { port } = far.address() as AddressInfo
  const spec = { socket: join(folder, 'r.sock'), ports: [port], gate: null, outside: null, ...more }
  const relays = createRelays(silentLogger)
  return {
    port,
    spec,
    seen,
    hold: async () => {
      const held = await relays.hold(spec)
      if (!held.ok) throw new Error(held.fault.message)
      return held.value
    },
    async [Symbol.asyncDispose]() {
      far.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const talk = (path: string, ...pieces: string[]): Promise<string> =>
  new Promise((resolve) => {
    let heard = ''
    const socket: Socket = connect({ path, allowHalfOpen: true })
    for (const piece of pieces) socket.write(piece)
    socket.end()
    socket.on('data', (piece) => (heard += String(piece)))
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
  })

describe('a relay', () => {
  it('passes bytes both ways, even after one side has finished', async () => {
    await using world = await setUp()
    using _held = await world.hold()
    expect(await talk(world.spec.socket, `port ${world.port}\nfirst`, 'x'.repeat(1_000_000))).toBe('ok\nheard 1000005')
  })

  it('lets through only what is on its list', async () => {
    await using world = await setUp()
    using _held = await world.hold()
    const lines = ['port 1', 'gate', 'tcp 198.51.100.7 443', `tcp 127.0.0.1 ${world.port}`, 'PORT 1', '']
    for (const line of lines)
      expect(await talk(world.spec.socket, `${line}\nx`)).toBe('no not_let_out that connection is not allowed\n')
    expect(await talk(world.spec.socket, 'x'.repeat(600))).toBe('')
    expect(world.seen).toEqual([])
  })

  it('leads outside, but never to this machine', async () => {
    await using world = await setUp({ outside: { proxy: null, direct: '' } })
    using _held = await world.hold()
    for (const host of ['127.0.0.1', '2130706433', '::1', 'localhost.', '0'])
      expect(await talk(world.spec.socket, `tcp ${host} ${world.port}\nx`)).toMatch(/^no own_machine /)
  })

  it('is shared by its holders, and ends with the last', async () => {
    await using world = await setUp()
    const [one, two] = [await world.hold(), await world.hold()]
    one[Symbol.dispose]()
    one[Symbol.dispose]()
    expect(await talk(world.spec.socket, `port ${world.port}\nx`)).toBe('ok\nheard 1')
    two[Symbol.dispose]()
    await expect.poll(() => existsSync(world.spec.socket)).toBe(false)
    using _again = await world.hold()
    expect(await talk(world.spec.socket, `port ${world.port}\ny`)).toBe('ok\nheard 1')
  })
})

describe('destinations reached without the operator’s proxy', () => {
  it('are those NO_PROXY names', () => {
    const direct = 'localhost, .corp.example other.example:8080,*.third.example'
    expect(
      ['a.corp.example', 'corp.example', 'Other.example', 'x.third.example'].every((host) => isDirect(host, direct)),
    ).toBe(true)
    expect(['example', 'notcorp.example', 'another.example'].some((host) => isDirect(host, direct))).toBe(false)
    expect(isDirect('anything', '*')).toBe(true)
    expect(isDirect('anything', '')).toBe(false)
  })
})
