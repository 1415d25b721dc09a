import { spawn } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { errorOf, get, post } from '../support/kill-harness-http.ts'
import { freshHome, startReady } from '../support/kill-harness-server.ts'
import { cleanEnv } from '../support/server.ts'
import { until, within } from '../support/until.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
const session = { protocolMode: 'mcp', workspaceRoot: '/place', prompt: 'p'.repeat(200) }

describe('failures around the server', () => {
  it('a log reader that does not read blocks nobody', async () => {
    using home = freshHome()
    const env = cleanEnv({
      SIGNALBOX_HOME: home.path,
      SIGNALBOX_HTTP_PORT: '0',
      SIGNALBOX_MAX_CONCURRENT_SESSIONS: '100000',
    })
    const server = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<number | null>((resolve) => server.on('exit', resolve))
    try {
      let printed = ''
      server.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
      await until(() => printed.includes('Stop it with'))
      // Nobody ever reads standard error: the pipe holds 64 KB, each session logs more than 300 bytes.
      const socket = join(home.path, 'run', 'signalbox.sock')
      for (let n = 0; n < 600; n += 1) {
        const reply = await within(post(socket, '/api/sessions', session), 'an answer', 5)
        expect(reply.status).toBe(201)
      }
      expect((await within(get(socket, '/healthz'), 'its health', 5)).status).toBe(200)
      server.kill('SIGTERM')
      expect(await within(ended, 'its end', 10)).toBe(0)
    } finally {
      server.kill('SIGKILL')
    }
  })

  it('a database file that was moved away is noticed: nothing more is acknowledged', async () => {
    using home = freshHome()
    await using life = await startReady({ home: home.path })
    expect((await post(life.socketPath, '/api/sessions', session)).status).toBe(201)
    renameSync(join(home.path, 'signalbox.db'), join(home.path, 'moved.db'))
    const refused = await until(async () => {
      const reply = await post(life.socketPath, '/api/sessions', session)
      return reply.status === 503 ? errorOf(reply) : null
    })
    expect(refused.code).toBe('database_gone')
    expect((await get(life.socketPath, '/readyz')).status).toBe(503)
  })
})
