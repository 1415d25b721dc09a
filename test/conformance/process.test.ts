import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createApi } from '../support/api.ts'
import { cleanEnv, databases, freshHome, runCli, startServer } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { within } from '../support/until.ts'
import { lookInto } from './look.ts'
import { startSession } from './work.ts'

describe.each(databases)('the process on %s', (database) => {
  it('R20 a second server on the same home is refused with the reason, and the first keeps running', async () => {
    await using server = await startServer({ database })
    const env = {
      SIGNALBOX_HOME: server.home,
      ...(server.databaseUrl && { SIGNALBOX_DATABASE__URL: server.databaseUrl }),
    }
    const second = await runCli(['serve', '--port', '0'], cleanEnv(env))
    expect(second.code).not.toBe(0)
    expect(second.stdout + second.stderr).toMatch(/runs? .*already|already run/i)
    expect((await server.api().send('GET', '/readyz')).status).toBe(200)
    expect((await server.tcp().send('GET', '/readyz')).status).toBe(200)
  })

  it('R20 SIGTERM ends it cleanly: streams end, the exit code is 0, the socket is gone', async () => {
    await using server = await startServer({ database })
    await using events = await openEvents(server.api())
    await server.kill('SIGTERM')
    await within(events.ended, 'the end of the stream')
    expect(server.printed()).toMatch(/Stopped/)
    await expect(stat(server.socket)).rejects.toThrow(/ENOENT/)
  })

  it('R23 it starts again after kill -9, although its socket was left behind', async () => {
    await using server = await startServer({ database })
    const session = await startSession(server.api())
    await server.kill('SIGKILL')
    await stat(server.socket)
    await server.restart()
    expect(await server.api().get(`/api/sessions/${session.id}`)).toMatchObject({ status: 'active' })
  })
})

describe('starting', () => {
  it('R20 if no port was chosen and 3000 is in use, another is used and printed', async () => {
    const blocker = createServer().listen(3000, '127.0.0.1')
    // Another process may already use it: that is fine.
    await Promise.race([once(blocker, 'listening'), once(blocker, 'error')]).catch(() => undefined)
    try {
      await using server = await startServer({ env: { SIGNALBOX_HTTP_PORT: '' } })
      expect(new URL(server.address).port).not.toBe('3000')
      expect(server.printed()).toMatch(/3000 is in use/)
      expect((await server.tcp().send('GET', '/healthz')).status).toBe(200)
    } finally {
      blocker.close()
    }
  })

  it('R20 a chosen port that is in use is refused, with what to do', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const address = blocker.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    const home = await freshHome()
    try {
      for (const [args, env] of [
        [['--port', port], {}],
        [[], { PORT: port }],
      ] as const) {
        const { code, stdout, stderr } = await runCli(['serve', ...args], cleanEnv({ SIGNALBOX_HOME: home, ...env }))
        expect(code).not.toBe(0)
        expect(stdout + stderr).toMatch(new RegExp(`${port}.*in use`))
        expect(stdout + stderr).toMatch(/--port/)
      }
    } finally {
      blocker.close()
      await rm(home, { recursive: true, force: true })
    }
  })

  it('R20 port 0 takes any free port, without a note', async () => {
    await using server = await startServer()
    expect(server.printed()).not.toMatch(/in use/)
  })

  it('R20 ipc_name names the socket', async () => {
    await using server = await startServer({ config: 'ipc_name = "other"\n' })
    const socket = join(server.home, 'run', 'other.sock')
    expect((await stat(socket)).mode & 0o777).toBe(0o600)
    expect(await createApi({ socket }).get('/api/status')).toMatchObject({ socket })
    const status = await server.cli('status', '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ address: server.address })
  })

  it('R20 the data directory is created for its owner only, wherever it is', async () => {
    const place = await freshHome()
    const home = join(place, 'a', 'b')
    await chmod(place, 0o755)
    await using server = await startServer({ env: { SIGNALBOX_HOME: home } })
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    await server.kill('SIGTERM')
    await rm(place, { recursive: true, force: true })
  })

  it('R20 an unreachable database is reported, and nothing is lost', async () => {
    await using server = await startServer()
    await server.kill('SIGTERM')
    await using look = await lookInto(server)
    const [before] = await look.rows('select count(*) as n from events')
    const { code, stdout, stderr } = await runCli(
      ['serve', '--port', '0'],
      cleanEnv({ SIGNALBOX_HOME: server.home, SIGNALBOX_DATABASE__URL: 'postgres://nobody@127.0.0.1:1/none' }),
    )
    expect(code).not.toBe(0)
    expect(stdout + stderr).toMatch(/PostgreSQL does not answer/)
    const [after] = await look.rows('select count(*) as n from events')
    expect(after).toEqual(before)
  })

  it('R20 Ctrl-C ends it with exit code 0', async () => {
    const home = await freshHome()
    const program = new URL('../../dist/signalbox.js', import.meta.url).pathname
    const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
      env: cleanEnv({ SIGNALBOX_HOME: home }),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      for await (const chunk of child.stdout) if (String(chunk).includes('Stop it')) break
      child.kill('SIGINT')
      const [code] = await within(once(child, 'exit') as Promise<[number]>, 'the end')
      expect(code).toBe(0)
    } finally {
      child.kill('SIGKILL')
      await rm(home, { recursive: true, force: true })
    }
  })
})

describe('a server in the background', () => {
  it('B14 serve --detach returns when it is ready, once; stop ends it', async () => {
    const home = await mkdtemp(join(tmpdir(), 'sb-detached-'))
    const env = cleanEnv({ SIGNALBOX_HOME: home })
    try {
      const first = await runCli(['serve', '--detach', '--port', '0', '--json'], env)
      expect([first.code, first.stderr]).toEqual([0, ''])
      const { address, started } = JSON.parse(first.stdout) as { address: string; started: boolean }
      expect(started).toBe(true)
      expect((await fetch(`${address}/readyz`)).status).toBe(200)
      const again = await runCli(['serve', '--detach', '--json'], env)
      expect(JSON.parse(again.stdout)).toMatchObject({ address, started: false })
    } finally {
      expect((await runCli(['stop'], env)).stdout).toContain('Stopped')
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})
