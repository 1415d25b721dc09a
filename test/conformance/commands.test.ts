import { readFileSync } from 'node:fs'
import { realpath, rename } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { cleanEnv, runCli } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { McpHarness } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { newPerson } from './people.ts'
import { startSession } from './work.ts'

type Ran = { exitCode: number | null; stdout: string; stderr: string; truncated: boolean; timedOut: boolean }

const config = `[commands]
where = "pwd"
words = "printf '%s|' $HOME *.txt ';' '$(id)' 'a b'"
joined = "echo one; echo two"
shelled = { command = "echo one; echo two >&2; exit 3", shell = true }
much = "seq 1 100000"
noisy = { command = "seq 1 100000 >&2", shell = true }
behind = { command = "sleep 1000 & echo $!", shell = true }
escaped = { command = "setsid sleep 30 & echo $!", shell = true }
missing = "no-such-program-of-ours"
input = "cat"
environment = "env"
`

const isAlive = (pid: number): boolean => {
  try {
    // A zombie counts as gone.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('configured commands', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness({ config })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function work() {
    const place = await harness.place()
    const session = await startSession(harness.owner, { workspaceRoot: place.path })
    const run = (alias: string, api: Api = harness.owner) => api.post<Ran>(`/api/sessions/${session.id}/run`, { alias })
    return { place, session, run }
  }

  it('R21 an alias runs in the session’s workspace', async () => {
    const { place, run } = await work()
    const ran = await run('where')
    expect(ran).toMatchObject({ exitCode: 0, stderr: '', truncated: false, timedOut: false })
    expect(await realpath(ran.stdout.trim())).toBe(await realpath(place.path))
  })

  it('R21 signalbox run lists aliases, and runs one with its output and exit code', async () => {
    const { session, place } = await work()
    const listed = await harness.server.cli('run', '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({
      commands: expect.arrayContaining([
        { alias: 'where', command: 'pwd', shell: false },
        { alias: 'shelled', command: expect.any(String), shell: true },
      ]),
    })
    const ran = await harness.server.cli('run', 'shelled', '--session', session.id)
    expect(ran.code).toBe(3)
    expect(ran.stdout).toBe('one\n')
    expect(ran.stderr).toContain('two')
    const env = cleanEnv({ SIGNALBOX_HOME: harness.server.home })
    expect(await runCli(['run', 'where'], env, place.path)).toMatchObject({ code: 0 })
  })

  it('R21 without a shell, shell syntax is passed on literally', async () => {
    const { place, run } = await work()
    await place.write('a.txt', '')
    expect(await run('words')).toMatchObject({ exitCode: 0, stdout: '$HOME|*.txt|;|$(id)|a b|' })
  })

  it('R21 an entry that needs a shell is refused unless it says so', async () => {
    const { session, run } = await work()
    const refused = await harness.owner.refused('POST', `/api/sessions/${session.id}/run`, { alias: 'joined' })
    expect(refused).toMatchObject({ code: 'command_needs_shell', hint: expect.stringContaining('shell = true') })
    expect(await run('shelled')).toMatchObject({ exitCode: 3, stdout: 'one\n', stderr: 'two\n' })
  })

  it('R21 only what is in the configuration runs', async () => {
    const { session } = await work()
    for (const alias of ['pwd', 'nothing', 'where; id', 'toString', '__proto__', '']) {
      const refused = await harness.owner.refused('POST', `/api/sessions/${session.id}/run`, { alias })
      expect([400, 404]).toContain(refused.status)
    }
    const cli = await harness.server.cli('run', 'nothing', '--session', session.id)
    expect(cli.code).not.toBe(0)
    expect(cli.stderr).toContain('where')
  })

  it('R3 R21 only the owner runs them: no stranger, no authorised person, no agent', async () => {
    const { session } = await work()
    const path = `/api/sessions/${session.id}/run`
    const ann = await newPerson(harness.server, 'Ann')
    expect((await ann.api.refused('POST', path, { alias: 'where' })).status).toBe(404)
    const agent = harness.server.api(harness.token)
    const own = await startSession(agent, { workspaceRoot: session.workspaceRoot })
    expect([403, 404]).toContain((await agent.refused('POST', path, { alias: 'where' })).status)
    const mine = await agent.refused('POST', `/api/sessions/${own.id}/run`, { alias: 'where' })
    expect(mine.status).toBe(403)
  })

  it('R21 at most 64 KiB of output are kept, and the output says so', async () => {
    const { run } = await work()
    const ran = await run('much')
    expect(ran).toMatchObject({ exitCode: 0, truncated: true })
    expect(Buffer.byteLength(ran.stdout)).toBeLessThanOrEqual(64 * 1024)
    expect(ran.stdout.startsWith('1\n2\n3\n')).toBe(true)
    const noisy = await run('noisy')
    expect(noisy).toMatchObject({ exitCode: 0, truncated: true })
    expect(Buffer.byteLength(noisy.stderr)).toBeLessThanOrEqual(64 * 1024)
  })

  it('R21 nothing it started is left', async () => {
    const { run } = await work()
    const { stdout } = await run('behind')
    expect(Number(stdout)).toBeGreaterThan(1)
    await until(() => !isAlive(Number(stdout)))
  })

  it('R21 a process that left its group does not delay the answer, and is ended too', async () => {
    const { run } = await work()
    const began = performance.now()
    const { stdout } = await run('escaped')
    expect(performance.now() - began).toBeLessThan(10_000)
    await until(() => !isAlive(Number(stdout)))
  })

  it('R21 a missing program is reported as missing', async () => {
    const { session } = await work()
    const refused = await harness.owner.refused('POST', `/api/sessions/${session.id}/run`, { alias: 'missing' })
    expect(refused).toMatchObject({ code: 'command_not_run', hint: expect.stringContaining('[commands]') })
  })

  it('R21 if the workspace is gone, the workspace is reported, not the command', async () => {
    const { place, session } = await work()
    await rename(place.path, `${place.path}-gone`)
    expect(await harness.owner.refused('POST', `/api/sessions/${session.id}/run`, { alias: 'where' })).toMatchObject({
      code: 'workspace_missing',
      message: expect.stringContaining(place.path),
    })
  })

  it('R21 it sees none of the server’s own settings', async () => {
    const { run } = await work()
    const { stdout } = await run('environment')
    expect(stdout).toContain('PATH=')
    expect(stdout).not.toContain('SIGNALBOX_HOME')
    expect(stdout).not.toContain('SIGNALBOX_DATABASE')
  })

  it('R21 it gets no input', async () => {
    const { run } = await work()
    expect(await run('input')).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it('R21 every run is in the log', async () => {
    const { session, run } = await work()
    await run('where')
    const { events } = await harness.owner.get<{ events: { sessionId: string; data: unknown }[] }>(
      '/api/audit?limit=50',
    )
    const about = events.filter(({ sessionId }) => sessionId === session.id).map(({ data }) => JSON.stringify(data))
    expect(about.some((data) => data.includes('where'))).toBe(true)
  })
})
