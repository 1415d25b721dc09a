import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { waitUntilGone } from './wait-until-gone.ts'

/** A process that does not end when told to. */
async function deaf() {
  const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('here')`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  const ended = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const short = { stopMs: 150, killMs: 10_000, tellAfterMs: 0 }

describe('a server that was told to stop', () => {
  it('and never ends is killed, with a message', async () => {
    await using server = await deaf()
    process.kill(server.pid, 'SIGTERM')
    const said: string[] = []
    const next = await waitUntilGone({
      pid: server.pid,
      isNear: true,
      answering: async () => null,
      note: (text) => said.push(text),
      patience: short,
    })
    expect(next).toBeNull()
    expect(await server.ended).toEqual([null, 'SIGKILL'])
    expect(said.at(-1)).toBe(`The server (process ${server.pid}) did not stop within 0.15 seconds. Killing it.`)
  })

  it('elsewhere is left alone, and the failure says so', async () => {
    await using server = await deaf()
    const waiting = waitUntilGone({
      pid: server.pid,
      isNear: false,
      answering: async () => server.pid,
      note: () => {},
      patience: short,
    })
    await expect(waiting).rejects.toMatchObject({ code: 'still_running' })
    expect(process.kill(server.pid, 0)).toBe(true)
  })

  it('is gone once another answers in its place', async () => {
    await using server = await deaf()
    const next = await waitUntilGone({ pid: server.pid, isNear: false, answering: async () => 77, note: () => {} })
    expect(next).toBe(77)
  })
})
