import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../lib/log.ts'
import { connectKeeper } from './client.ts'
import { createPeer } from '../keeper/protocol/peer.ts'
import { keeperPaths } from '../keeper/protocol/paths.ts'
import { protocol } from '../keeper/protocol/frames.ts'

/** A keeper that answers `stop` with what it still holds, or not at all, and stays; and the process id it reports. */
async function staying(left: number | null) {
  const stack = new AsyncDisposableStack()
  const home = mkdtempSync(join(tmpdir(), 'sbk-'))
  stack.defer(() => rmSync(home, { recursive: true }))
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = once(child, 'exit')
  stack.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const server = createServer((socket) => {
    const peer = createPeer(
      socket,
      ({ header: { op, n } }) => {
        if (op === 'hello') peer.send({ re: n, value: { protocol, pid: child.pid } })
        else if (op === 'stop' && left !== null) peer.send({ re: n, value: { left } })
      },
      () => {},
    )
  })
  stack.defer(() => void server.close())
  const { socket } = keeperPaths(home)
  mkdirSync(dirname(socket))
  await once(server.listen(socket), 'listening')
  const connected = await connectKeeper({ dataDir: home, log: silentLogger, start: false })
  if (!connected.ok || !connected.value) throw new Error('no keeper is running')
  return { keeper: connected.value, child, ended, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('a keeper that was told to stop and stays', () => {
  it('is killed if it said that it holds nothing more', async () => {
    await using there = await staying(0)
    await there.keeper.stop({ patienceMs: 100 })
    expect(await there.ended).toEqual([null, 'SIGKILL'])
  })

  it.each([
    ['holds something', 1],
    ['said nothing', null],
  ])('is not waited for, and left alone, if it %s', async (_why, left) => {
    await using there = await staying(left)
    await there.keeper.stop({ patienceMs: 100 })
    expect(there.child.killed || there.child.signalCode !== null).toBe(false)
  })
})
