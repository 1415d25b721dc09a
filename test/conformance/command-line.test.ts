import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { cleanEnv, usualDatabases, freshHome, runCli, startServer, type Server } from '../support/server.ts'
import type { LogEvent } from '../support/sse.ts'
import { newAgent, nobody, openAsk, roomy, startSession } from './work.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe.each(usualDatabases)('the command line on %s', (database) => {
  let server: Server
  /** A data directory without a running server. */
  let empty: string
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
    empty = await freshHome()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await rm(empty, { recursive: true, force: true })
  })

  async function json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await server.cli(...args, '--json')
    expect([args, code, stderr]).toEqual([args, 0, ''])
    return JSON.parse(stdout) as T
  }

  it('B11 status prints the address of the running server', async () => {
    expect(await json('status')).toMatchObject({ address: server.address, database, pid: server.pid })
    expect((await server.cli('status')).stdout).toContain(server.address)
  })

  it('B11 tokens create prints {"token": …}, and the token works', async () => {
    const { token } = await json<{ token: string }>('tokens', 'create', '--name', 'ci', '--scope', 'full')
    expect(await server.api(token).get('/api/me')).toMatchObject({ via: 'token', scope: 'full' })
    const reader = await json<{ token: string; id: string }>('tokens', 'create', '--name', 'ro', '--scope', 'read')
    expect(await server.api(reader.token).get('/api/me')).toMatchObject({ scope: 'read' })
    expect((await server.cli('tokens', 'revoke', reader.id)).code).toBe(0)
    expect((await server.api(reader.token).refused('GET', '/api/me')).status).toBe(401)
  })

  it('B11 sessions are listed, shown and changed', async () => {
    const session = await startSession(agent, { prompt: 'Paint the fence' })
    const listed = await json<{ sessions: { id: string }[] }>('sessions')
    expect(listed.sessions.map(({ id }) => id)).toContain(session.id)
    expect((await server.cli('sessions')).stdout).toContain('Paint the fence')
    expect(await json('sessions', 'show', session.id)).toMatchObject({ id: session.id, messages: [] })
    expect((await server.cli('sessions', 'pause', session.id)).code).toBe(0)
    expect(await owner.get(`/api/sessions/${session.id}`)).toMatchObject({ status: 'paused' })
  })

  it('B1 asks are listed and answered', async () => {
    const session = await startSession(agent)
    const ask = await openAsk(agent, session, { title: 'May I paint?' })
    expect((await server.cli('asks')).stdout).toContain('May I paint?')
    expect((await json<{ asks: { id: string }[] }>('asks')).asks.map(({ id }) => id)).toContain(ask.id)
    expect((await server.cli('answer', ask.id, 'approve')).code).toBe(0)
    expect(await owner.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'answered', answer: { outcome: 'approve' } })
    const late = await server.cli('answer', ask.id, 'reject')
    expect(late.code).not.toBe(0)
    expect(late.stderr).toMatch(/answered/)
  })

  it('C2 people, identities and roles are managed', async () => {
    const user = await json<{ id: string }>('users', 'create', 'Ann Example', '--identity', 'email:ann@example.org')
    expect((await server.cli('roles', 'grant', 'email:ann@example.org', 'admin')).code).toBe(0)
    expect(await json('users', 'show', user.id)).toMatchObject({
      displayName: 'Ann Example',
      roles: [{ role: 'admin' }],
    })
    expect((await server.cli('roles', 'revoke', user.id, 'admin')).code).toBe(0)
    expect((await server.cli('users', 'remove', user.id)).code).toBe(0)
    expect(await owner.get(`/api/users/${user.id}`)).toMatchObject({ removedAt: expect.any(String) })
  })

  it('B10 the log is searched and exported', async () => {
    const session = await startSession(agent)
    const { stdout } = await server.cli('audit', 'export', '--session', session.id)
    const lines = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogEvent)
    expect(lines.map(({ type }) => type)).toEqual(['session.started', 'session.status_changed'])
    expect(await json('audit', '--session', session.id)).toMatchObject({
      events: [{ type: 'session.status_changed' }, {}],
    })
    expect((await server.cli('events', '--session', session.id)).stdout).toContain('session.started')
  })

  it('C2 login prints a link that works once', async () => {
    const { stdout } = await server.cli('login')
    const link = /http\S+\/login\?code=\S+/.exec(stdout)?.[0] ?? ''
    const page = await server.tcp().send('GET', link.slice(server.address.length))
    expect(page.status).toBe(200)
  })

  it('B14 doctor lists what passed', async () => {
    const { code, stdout } = await server.cli('doctor')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/database/i)])
  })

  it('B11 a remote server is reached with --url and a token', async () => {
    const { token } = await json<{ token: string }>('tokens', 'create', '--name', 'remote', '--scope', 'full')
    const env = { SIGNALBOX_HOME: empty, SIGNALBOX_TOKEN: token, SIGNALBOX_URL: server.address }
    const { code, stdout } = await runCli(['status', '--json'], cleanEnv(env))
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ address: server.address })])
    const wrong = await runCli(['status'], cleanEnv({ ...env, SIGNALBOX_TOKEN: 'sbx_wrong' }))
    expect(wrong.code).toBe(4)
  })

  it('B11 exit codes distinguish no server, wrong usage, not found and conflict', async () => {
    const nowhere = await runCli(['status'], cleanEnv({ SIGNALBOX_HOME: empty }))
    expect(nowhere.code).toBe(3)
    expect(nowhere.stderr).toMatch(/signalbox serve/)
    const usage = await server.cli('sesions')
    expect(usage.code).toBe(2)
    expect(usage.stderr).toMatch(/sessions/)
    expect((await server.cli('sessions', 'list', '--colour', 'red')).code).toBe(2)
    expect((await server.cli('sessions', 'show', nobody())).code).toBe(5)
    const session = await startSession(agent)
    await owner.post(`/api/sessions/${session.id}/complete`)
    expect((await server.cli('sessions', 'pause', session.id)).code).toBe(6)
  })

  it('B11 errors are JSON for programs, and output is coloured only on a terminal', async () => {
    const { stderr } = await server.cli('sessions', 'show', nobody(), '--json')
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: expect.stringMatching(/not_found/), message: expect.any(String) },
    })
    for (const args of [['sessions'], ['--help'], ['status']])
      expect((await server.cli(...args)).stdout.split('\u001b')).toHaveLength(1)
  })
})

describe('the command line alone', () => {
  it.each(['bash', 'zsh', 'fish'])('B11 completion for %s asks the program for the commands', async (shell) => {
    const { code, stdout } = await runCli(['completion', shell], cleanEnv({}))
    expect([code, stdout]).toEqual([0, expect.stringContaining(' __complete -- ')])
  })

  it('B11 completion names the commands', async () => {
    const { stdout } = await runCli(['__complete', '--', ''], cleanEnv({}))
    for (const name of ['serve', 'sessions', 'asks', 'answer', 'doctor'])
      expect(stdout).toMatch(new RegExp(`^${name}\t`, 'm'))
  })

  it('B11 --help lists every command with what it does', async () => {
    const { code, stdout } = await runCli(['--help'], cleanEnv({}))
    expect(code).toBe(0)
    for (const name of [
      'serve',
      'status',
      'doctor',
      'sessions',
      'asks',
      'answer',
      'users',
      'roles',
      'tokens',
      'repos',
      'events',
      'audit',
      'db',
      'config',
      'completion',
    ])
      expect(stdout).toMatch(new RegExp(`^\\s+${name}\\s+\\S`, 'm'))
  })

  it('B11 in a clone ./signalbox is the command line', async () => {
    const { stdout } = await promisify(execFile)('./signalbox', ['--version'], { cwd: root, env: cleanEnv({}) })
    expect(stdout).toMatch(/^signalbox \d+\.\d+\.\d+/m)
  })
})
