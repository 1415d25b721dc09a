import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { socketPath } from '../lib/socket-path.ts'
import { plain, type Output } from './output.ts'
import { execute } from './run.ts'
import { isAlive, lockHolder } from './server-process.ts'

it('a process is alive until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  const { pid = 0 } = child
  expect(isAlive(pid)).toBe(true)
  child.stdin.end()
  await once(child, 'close')
  expect(isAlive(pid)).toBe(false)
})

it('without a lock file nobody holds the directory’s lock', () => expect(lockHolder('/nowhere')).toBeNull())

it('stop reports success only when the server’s process is gone, however silent its socket is', async () => {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-stop-'))
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(request.url === '/api/status' ? { pid: child.pid } : { live: 1 }))
    if (request.method === 'POST') server.close()
  })
  const closed = once(server, 'close')
  const path = socketPath(home, 'signalbox')
  mkdirSync(dirname(path), { recursive: true })
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  const said: string[] = []
  const silent = Promise.withResolvers<void>()
  const out: Output = {
    print: (text) => void said.push(`${text} alive: ${isAlive(child.pid ?? 0)}`),
    write: async () => {},
    note(text) {
      said.push(text)
      silent.resolve()
    },
    json() {},
    width: 80,
    paint: plain,
  }
  const done = execute(['stop'], {
    parts: { version: '1', serve: async () => 0, maintenance: () => Promise.reject(new Error('not here')) },
    out,
    env: { SIGNALBOX_HOME: home },
    now: () => 0,
    interrupted: () => new AbortController().signal,
  })
  await silent.promise
  await closed
  child.stdin.end()
  expect(await done).toBe(0)
  expect(said).toEqual(['Stopping the server; 1 agent ends with it.', 'Stopped. alive: false'])
  rmSync(home, { recursive: true, force: true })
})
