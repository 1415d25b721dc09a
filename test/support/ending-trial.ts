import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt } from '../../scripts/lib/built.mjs'
import { root } from '../../scripts/lib/say.mjs'
import { connectKeeper } from '../../src/keeper-client/client.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { createApi } from './api.ts'
import { childSpec, isAlive } from './keeper.ts'
import { cleanEnv } from './server.ts'
import { until } from './until.ts'

const compiling = pathToFileURL(join(root, 'test/support/always-compiling.mjs')).href
const sideBySide = 4
const patienceMs = 20_000

type Ended = { code: number | null; signal: NodeJS.Signals | null }
type Program = 'keeper' | 'server'

/** Starts and ends this many keepers and servers while V8 is compiling, as a supervisor would, and returns those that failed to end. */
export async function endMany(times: number): Promise<string[]> {
  await ensureBuilt(process.execPath, false)
  const wrong: string[] = []
  const turns = Array.from({ length: times }, (_, n) => n).values()
  const work = async () => {
    for (const n of turns) {
      const program = n % 2 === 0 ? 'keeper' : 'server'
      const problem = await endOne(program)
      if (problem !== null) wrong.push(`${program} ${n}: ${problem}`)
    }
  }
  await Promise.all(Array.from({ length: Math.min(sideBySide, times) }, work))
  return wrong
}

async function endOne(program: Program): Promise<string | null> {
  const home = mkdtempSync(join(tmpdir(), 'sbe-'))
  const entry = join(root, 'dist', program === 'keeper' ? 'keeper.js' : 'signalbox.js')
  const args = program === 'keeper' ? [entry, home] : [entry, 'serve']
  const child = spawn(process.execPath, ['--max-semi-space-size=1', '--import', compiling, ...args], {
    cwd: home,
    env: cleanEnv({ SIGNALBOX_HOME: home, SIGNALBOX_HTTP_PORT: '0', SIGNALBOX_WORKSPACE_ROOT: `${home}.work` }),
    stdio: 'ignore',
  })
  const ended = once(child, 'exit').then(([code, signal]): Ended => ({ code, signal }))
  try {
    const early = ended.then((how) => Promise.reject(new Error(`it ended early: ${JSON.stringify(how)}`)))
    await Promise.race([makeBusy[program](home), early])
    child.kill('SIGTERM')
    const how = await Promise.race([ended, late()])
    if (how === null) return 'it stays'
    if (how.code !== 0) return `it ended with ${how.signal ?? how.code}`
    return isAlive(child.pid ?? 0) ? 'it lives on' : null
  } catch (error) {
    return String(error)
  } finally {
    child.kill('SIGKILL')
    await ended
    for (const path of [home, `${home}.work`]) rmSync(path, { recursive: true, force: true })
  }
}

const makeBusy: Record<Program, (home: string) => Promise<void>> = {
  async keeper(home) {
    const connected = await until(
      async () => {
        const found = await connectKeeper({ dataDir: home, log: silentLogger, start: false })
        return found.ok ? found.value : null
      },
      { what: 'the keeper', seconds: 60 },
    )
    await using keeper = connected
    await keeper.spawn(childSpec('busy', ['yes'], { cwd: home, output: { ring: 10_000 } }))
  },
  async server(home) {
    const api = createApi({ socket: join(home, 'run', 'signalbox.sock') })
    await until(() => api.get('/api/status').catch(() => null), { what: 'the server', seconds: 60 })
    // Not awaited: it must be busy when told to end.
    for (let n = 0; n < 20; n += 1) void api.post('/api/sessions', { protocolMode: 'mcp' }).catch(() => {})
  },
}

async function late(): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  setTimeout(resolve, patienceMs, null).unref()
  return promise
}
