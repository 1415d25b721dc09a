import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import { serverLog, startServer } from './start-server.ts'
import { isAlive } from './server-process.ts'

let home = ''
const pids: number[] = []
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-start-'))
})
afterEach(() => {
  for (const pid of pids.splice(0)) process.kill(pid)
  rmSync(home, { recursive: true, force: true })
})

/** A stand-in for the real program: records how it was called, then does what the test says. */
function start(does: string, env: NodeJS.ProcessEnv = {}, patienceMs = 10_000) {
  const file = join(home, 'program.mjs')
  const note = `const seen = { argv: process.argv.slice(2), cwd: process.cwd(), env: process.env, pid: process.pid }`
  writeFileSync(file, `import { writeFileSync, openSync } from 'node:fs'\n${note}\n${does}\n`)
  return startServer({
    dataDir: home,
    configFile: undefined,
    env: { PATH: process.env['PATH'], ...env },
    isThere: async () => existsSync(join(home, 'there')),
    program: [process.execPath, file],
    patienceMs,
  })
}
const answers = `writeFileSync('seen.json', JSON.stringify(seen)); writeFileSync('there', ''); setInterval(() => {}, 1000)`

describe('starting a server in the background', () => {
  it('waits until it answers, in its own process group, with a clean environment', async () => {
    const env = {
      SIGNALBOX_TOKEN: 't',
      SIGNALBOX_CHILD: 'x',
      SIGNALBOX_SESSION: 's',
      PORT: '3000',
      SIGNALBOX_LOG__LEVEL: 'warn',
    }
    await start(answers, env)
    const seen = await until(() => {
      const text = readFileSync(join(home, 'seen.json'), 'utf8')
      return text === '' ? null : JSON.parse(text)
    })
    pids.push(seen.pid)
    expect(isAlive(seen.pid)).toBe(true)
    expect(seen.argv).toEqual(['serve', '--home', home])
    expect(seen.cwd).toBe(home)
    expect(seen.env).toMatchObject({ SIGNALBOX_LOG__LEVEL: 'warn' })
    for (const name of ['SIGNALBOX_TOKEN', 'SIGNALBOX_CHILD', 'SIGNALBOX_SESSION', 'PORT'])
      expect(seen.env).not.toHaveProperty(name)
  })

  it('uses the server of another process that was faster', async () => {
    const starting = start(`console.log('A Signalbox runs already.'); process.exit(1)`)
    await until(() => existsSync(serverLog(home)) && readFileSync(serverLog(home), 'utf8').includes('already'))
    writeFileSync(join(home, 'there'), '')
    await expect(starting).resolves.toBeUndefined()
  })

  it('prints its output if it does not start', async () => {
    const starting = start(`console.log('The configuration has a fault.'); process.exit(1)`)
    await expect(starting).rejects.toMatchObject({
      code: 'server_not_started',
      message: expect.stringContaining('The configuration has a fault.'),
      hint: expect.stringContaining(serverLog(home)),
    })
  })

  it('reports that nothing answers if it starts and stays silent', async () => {
    const silent = `writeFileSync('seen.json', String(process.pid)); setInterval(() => {}, 1000)`
    await expect(start(silent, {}, 1500)).rejects.toMatchObject({ code: 'server_not_started' })
    pids.push(Number(readFileSync(join(home, 'seen.json'), 'utf8')))
  })
})
