import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cleanEnv, freshHome, runCli, startServer } from '../support/server.ts'
import { startSession } from './work.ts'

type Shown = Record<string, unknown>
type Fault = {
  source: string
  file?: string
  line?: number
  variable?: string
  key: string
  message: string
  hint?: string
}

describe('configuration', () => {
  let home: string
  beforeEach(async () => {
    home = await freshHome()
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  const write = (text: string) => writeFile(join(home, 'config.toml'), text)
  const run = (args: string[], env: Record<string, string> = {}) =>
    runCli(args, cleanEnv({ SIGNALBOX_HOME: home, ...env }))
  async function faults(env: Record<string, string> = {}): Promise<Fault[]> {
    const { code, stdout } = await run(['config', 'check', '--json'], env)
    const result = JSON.parse(stdout) as { ok: boolean; faults: Fault[] }
    expect(result.ok).toBe(code === 0)
    return result.faults
  }
  /** The effective value, wherever `config show` puts it. */
  async function effective(key: string, env: Record<string, string> = {}): Promise<unknown> {
    const { stdout, stderr } = await run(['config', 'show', '--json'], env)
    expect(stderr).toBe('')
    return find(JSON.parse(stdout) as Shown, key)
  }
  function find(shown: Shown, key: string): unknown {
    const entry =
      shown[key] ??
      (shown['values'] as Shown | undefined)?.[key] ??
      key.split('.').reduce<unknown>((at, part) => (at as Shown | undefined)?.[part], shown['config'] ?? shown)
    return typeof entry === 'object' && entry !== null && 'value' in entry ? entry.value : entry
  }

  it('R20 without a file every key has its default', async () => {
    const defaults = {
      max_concurrent_sessions: 3,
      http_port: 3000,
      ipc_name: 'signalbox',
      authorized_user_ids: [],
      'timeouts.approval_seconds': 3600,
      'timeouts.prompt_seconds': 1800,
      'timeouts.wait_seconds': 0,
      'stall.enabled': true,
      'stall.inactivity_threshold_seconds': 300,
      'stall.escalation_threshold_seconds': 120,
      'stall.max_retries': 3,
      'acp.max_sessions': 5,
      'approvals.admins_may_answer': false,
      'http.host': '127.0.0.1',
    }
    const { stdout } = await run(['config', 'show', '--json'])
    const shown = JSON.parse(stdout) as Shown
    for (const [key, value] of Object.entries(defaults)) expect([key, find(shown, key)]).toEqual([key, value])
    expect((await run(['config', 'check'])).code).toBe(0)
  })

  it('R20 the file overrides the default, the environment overrides the file', async () => {
    const key = 'timeouts.approval_seconds'
    await write('[timeouts]\napproval_seconds = 11\n')
    expect(await effective(key)).toBe(11)
    expect(await effective(key, { SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS: '22' })).toBe(22)
    expect(await effective(key, { SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS: '' })).toBe(11)
  })

  it('R20 a flag overrides the environment, and the environment the file, in a running server', async () => {
    await using server = await startServer({
      config: 'http_port = 1\n',
      env: { SIGNALBOX_HTTP_PORT: '2' },
      args: ['--port', '0'],
    })
    expect(new URL(server.address).port).not.toMatch(/^[12]$/)
  })

  it('R20 PORT, AGENT_WORKSPACE_ROOT and AGENT_SESSION_IDLE_TIMEOUT are read; our own names override them', async () => {
    const env = { PORT: '4001', AGENT_WORKSPACE_ROOT: '/srv/repos', AGENT_SESSION_IDLE_TIMEOUT: '7' }
    expect(await effective('http_port', env)).toBe(4001)
    expect(await effective('agent_workspace_root', env)).toBe('/srv/repos')
    expect(await effective('acp.idle_timeout_minutes', env)).toBe(7)
    expect(await effective('http_port', { ...env, SIGNALBOX_HTTP_PORT: '4002' })).toBe(4002)
  })

  it('R20 all faults are reported together, each with line, key and reason', async () => {
    await write(
      [
        'max_concurrent_sesions = 3',
        'http_port = "eighty"',
        'ipc_name = ""',
        '[timeouts]',
        'approval_seconds = -5',
        'prompt_secs = 3',
        '[stall]',
        'enabled = "yes please"',
        '[nonsense]',
        'a = 1',
      ].join('\n'),
    )
    const found = await faults({ SIGNALBOX_ACP__MAX_SESSIONS: 'many', SIGNALBOX_TIMEOUT__APPROVAL_SECONDS: '3' })
    const places = found.map(({ line, key, variable }) => (variable ? variable : `${line} ${key}`))
    for (const place of [
      '1 max_concurrent_sesions',
      '2 http_port',
      '3 ipc_name',
      '5 timeouts.approval_seconds',
      '6 timeouts.prompt_secs',
      '8 stall.enabled',
      'SIGNALBOX_ACP__MAX_SESSIONS',
      'SIGNALBOX_TIMEOUT__APPROVAL_SECONDS',
    ])
      expect(places).toContain(place)
    expect(places.some((place) => place.startsWith('9 nonsense'))).toBe(true)
    for (const fault of found) expect(fault.message).toMatch(/\w/)
    const { code, stdout, stderr } = await run(['config', 'check'])
    expect(code).not.toBe(0)
    for (const part of ['config.toml:1', 'config.toml:5', 'approval_seconds']) expect(stdout + stderr).toContain(part)
  })

  it('R20 an unknown key is an error with a suggestion', async () => {
    await write('max_concurrent_sesions = 3\n[timeouts]\naproval_seconds = 5\n')
    const found = await faults({ SIGNALBOX_HTTP_PROT: '1' })
    const hints = found.map(({ hint }) => hint)
    expect(hints).toEqual(
      expect.arrayContaining([
        expect.stringContaining('max_concurrent_sessions'),
        expect.stringContaining('approval_seconds'),
        expect.stringContaining('SIGNALBOX_HTTP_PORT'),
      ]),
    )
  })

  it('R20 invalid TOML is reported with its line', async () => {
    await write('max_concurrent_sessions = 3\n[timeouts\n')
    const [fault] = await faults()
    expect(fault).toMatchObject({ source: 'file', line: 2 })
  })

  it('R20 a server does not start with an invalid configuration, and reports every fault', async () => {
    await write('http_prt = 1\n[timeouts]\napproval_seconds = "x"\n')
    const { code, stdout, stderr } = await run(['serve', '--port', '0'])
    expect(code).not.toBe(0)
    for (const part of ['http_prt', 'http_port', 'timeouts.approval_seconds']) expect(stdout + stderr).toContain(part)
  })

  it('R20 --config names another file; a missing one is an error', async () => {
    await mkdir(join(home, 'else'))
    await writeFile(join(home, 'else', 'mine.toml'), 'max_concurrent_sessions = 9\n')
    const { stdout } = await run(['config', 'show', '--json', '--config', join(home, 'else', 'mine.toml')])
    expect(find(JSON.parse(stdout) as Shown, 'max_concurrent_sessions')).toBe(9)
    const missing = await run(['config', 'check', '--config', join(home, 'none.toml')])
    expect(missing.code).not.toBe(0)
    expect(missing.stdout + missing.stderr).toContain('none.toml')
  })

  it('R20 secrets are masked when the configuration is shown', async () => {
    await write(
      '[slack]\napp_token = "xapp-1-very-secret"\nbot_token = "xoxb-also-secret"\n[database]\nurl = "postgres://ann:hushhush@localhost/db"\n',
    )
    for (const args of [
      ['config', 'show'],
      ['config', 'show', '--json'],
    ]) {
      const { stdout, stderr } = await run(args)
      for (const secret of ['very-secret', 'also-secret', 'hushhush']) expect(stdout + stderr).not.toContain(secret)
      expect(stdout).toContain('localhost')
    }
  })

  it.each(['0.0.0.0', '::', '192.168.1.5'])(
    'R20 binding to %s without TLS or a trusted proxy is refused, with alternatives',
    async (host) => {
      const { code, stdout, stderr } = await run(['serve', '--port', '0', '--host', host])
      expect(code).not.toBe(0)
      expect(stdout + stderr).toMatch(/tls_cert/)
      expect(stdout + stderr).toMatch(/trusted_proxies/)
      expect(stdout).not.toMatch(/running at/)
    },
  )

  it('R20 the example file is valid and sets only defaults', async () => {
    const example = fileURLToPath(new URL('../../config.example.toml', import.meta.url))
    expect((await run(['config', 'check', '--config', example])).code).toBe(0)
  })
})

describe('keys in effect', () => {
  it('R20 workspace_root is the default workspace of a session', async () => {
    await using server = await startServer({ config: 'workspace_root = "/srv/default"\n' })
    expect(await startSession(server.api(), { workspaceRoot: undefined })).toMatchObject({
      workspaceRoot: '/srv/default',
    })
  })

  it('R20 timeouts determine when an ask expires', async () => {
    await using server = await startServer({
      config: '[timeouts]\napproval_seconds = 77\nprompt_seconds = 88\nwait_seconds = 0\n',
    })
    const session = await startSession(server.api())
    const seconds = async (subject: object) => {
      const { createdAt, expiresAt } = await server
        .api()
        .post<{ createdAt: string; expiresAt: string | null }>(`/api/sessions/${session.id}/asks`, {
          title: 'x',
          subject,
        })
      return expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000)
    }
    expect(await seconds({ kind: 'command', command: 'ls', cwd: '/' })).toBe(77)
    expect(await seconds({ kind: 'prompt', text: 'go on?' })).toBe(88)
    expect(await seconds({ kind: 'wait' })).toBeNull()
  })
})
