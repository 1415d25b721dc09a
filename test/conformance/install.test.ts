// What people install: the package of `npm run package`, its service, an upgrade, and the way back.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, runCli } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
type Ran = { code: number; stdout: string; stderr: string }

const ran = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd = root): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(program, args, { env, cwd, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr })
    })
  })

const emptyFolder = async () => realpath(await mkdtemp(join(tmpdir(), 'sb-install-')))
/** npm runs under the Node of this test. */
const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`

describe('the package', () => {
  let folder = ''
  let packed = ''
  /** npm keeps the registry, certificates and cache of this machine. */
  const env = (): Record<string, string> => ({
    ...(Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^npm_config_|_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name)),
    ) as Record<string, string>),
    ...cleanEnv({
      PATH: path,
      HOME: folder,
      SIGNALBOX_HOME: join(folder, 'data'),
      npm_config_userconfig: join(homedir(), '.npmrc'),
      npm_config_cache: join(homedir(), '.npm'),
      npm_config_prefix: join(folder, 'prefix'),
    }),
  })
  const installed = (...args: string[]) => ran(join(folder, 'prefix/bin/signalbox'), args, env(), folder)
  beforeAll(async () => {
    folder = await emptyFolder()
    const made = await ran(process.execPath, [join(root, 'scripts/package.ts')], {
      ...process.env,
      PATH: path,
    })
    if (made.code !== 0) throw new Error(`npm run package failed:\n${made.stdout}${made.stderr}`)
    packed = join(root, '.cache/package/signalbox-0.1.0.tgz')
  }, 120_000)
  afterAll(async () => {
    await installed('uninstall', '--data', '--yes')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it(
    'B14 installs on a clean machine, runs an approved change, is upgraded with its data, and leaves nothing',
    { timeout: 240_000 },
    async () => {
      const install = ['install', '--global', '--no-fund', '--no-audit', packed]
      const npm = await ran('npm', install, env(), folder)
      expect([npm.code, npm.stderr]).toEqual([0, expect.anything()])

      const served = await installed('serve', '--detach', '--port', '0', '--json')
      expect([served.code, served.stderr]).toEqual([0, ''])
      const { pid } = JSON.parse(served.stdout) as { pid: number }
      const workspace = join(folder, 'work')
      await mkdir(workspace)
      const started = await installed(
        'start',
        'practice',
        '--workspace',
        workspace,
        '--isolation',
        'none',
        '--detach',
        '--json',
        '/write notes.txt installed',
      )
      expect(started.code).toBe(0)
      const { id } = JSON.parse(started.stdout) as { id: string }
      const ask = await until(
        async () => (JSON.parse((await installed('asks', '--json')).stdout) as { asks: { id: string }[] }).asks[0],
        { what: 'the ask of the practice agent' },
      )
      expect((await installed('answer', ask.id, 'approve')).code).toBe(0)
      await until(() => existsSync(join(workspace, 'notes.txt')), { what: 'the approved file' })

      const upgraded = await installed('upgrade', packed, '--yes', '--json')
      expect([upgraded.code, upgraded.stderr]).toEqual([0, expect.anything()])
      expect(JSON.parse(upgraded.stdout)).toMatchObject({ restarted: true })
      const status = JSON.parse((await installed('status', '--json')).stdout) as { pid: number; agentsRunning: number }
      expect(status.pid).not.toBe(pid)
      expect(status.agentsRunning).toBe(1)
      expect((await installed('sessions', 'show', id)).stdout).toContain('/write notes.txt')

      expect((await installed('uninstall')).stderr).toMatch(/ends 1 agent|To confirm/)
      expect((await installed('uninstall', '--data', '--yes')).code).toBe(0)
      expect(existsSync(join(folder, 'data'))).toBe(false)
    },
  )
})

/** Stands in for systemd, which is not the first process here: it keeps what was asked, and starts and ends the unit's command. */
const fakeSystemctl = `#!/bin/sh
echo "$@" >> "$FAKE_SYSTEMD/calls"
unit="$XDG_CONFIG_HOME/systemd/user/signalbox.service"
case "$*" in
  *restart*)
    [ -f "$FAKE_SYSTEMD/pid" ] && kill "$(cat "$FAKE_SYSTEMD/pid")" && while kill -0 "$(cat "$FAKE_SYSTEMD/pid")" 2>/dev/null; do :; done
    sed -n 's/^Environment=//p' "$unit" | tr -d '"' > "$FAKE_SYSTEMD/environment"
    env -i $(cat "$FAKE_SYSTEMD/environment") SIGNALBOX_HTTP_PORT=0 setsid $(sed -n 's/^ExecStart=//p' "$unit" | tr -d '"') > "$FAKE_SYSTEMD/log" 2>&1 &
    echo $! > "$FAKE_SYSTEMD/pid" ;;
  *disable*) kill "$(cat "$FAKE_SYSTEMD/pid")"; while kill -0 "$(cat "$FAKE_SYSTEMD/pid")" 2>/dev/null; do :; done ;;
  *status*) kill -0 "$(cat "$FAKE_SYSTEMD/pid")" && echo 'Active: active (running)' ;;
esac
`

describe('the service', () => {
  it('B14 is installed, shown, restarted without its agents ending, and removed', async () => {
    const folder = await emptyFolder()
    const home = join(folder, 'data')
    const bin = join(folder, 'bin')
    const work = join(folder, 'work')
    for (const made of [bin, work]) await mkdir(made)
    await writeFile(join(bin, 'systemctl'), fakeSystemctl)
    await writeFile(join(bin, 'journalctl'), '#!/bin/sh\ncat "$FAKE_SYSTEMD/log"\n')
    await writeFile(join(bin, 'loginctl'), '#!/bin/sh\nexit 0\n')
    for (const name of ['systemctl', 'journalctl', 'loginctl']) await chmod(join(bin, name), 0o755)
    const env = cleanEnv({
      PATH: `${bin}:${path}`,
      HOME: folder,
      SIGNALBOX_HOME: home,
      XDG_CONFIG_HOME: join(folder, 'config'),
      FAKE_SYSTEMD: folder,
    })
    const cli = (...args: string[]) => runCli(args, env)
    try {
      expect(await cli('service', 'status')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('service install'),
      })
      const printed = await cli('service', 'install', '--print')
      expect(printed.stdout).toMatch(/ExecStart=.* serve\n[^]*KillMode=process/)
      expect(existsSync(join(folder, 'config'))).toBe(false)

      // A server started by hand gives way, and its agent goes over to the service.
      expect((await cli('serve', '--detach', '--port', '0')).code).toBe(0)
      const session = [
        'start',
        'practice',
        '--workspace',
        work,
        '--isolation',
        'none',
        '--detach',
        '--json',
        '/stall forever',
      ]
      expect((await cli(...session)).code).toBe(0)
      const installed = await cli('service', 'install', '--json')
      expect([installed.code, JSON.parse(installed.stdout || '{}')]).toMatchObject([
        0,
        { manager: 'systemd', lingers: true, address: expect.stringContaining('http') },
      ])
      expect(await readFile(join(folder, 'config/systemd/user/signalbox.service'), 'utf8')).toContain(
        `SIGNALBOX_HOME=${home}`,
      )
      const agents = async () =>
        (JSON.parse((await cli('status', '--json')).stdout || '{}') as { agentsRunning?: number }).agentsRunning
      await until(async () => (await agents()) === 1, { what: 'the agent in the service' })
      expect(await cli('service', 'status')).toMatchObject({ code: 0, stdout: expect.stringContaining('active') })
      expect((await cli('service', 'logs')).code).toBe(0)

      expect(await cli('service', 'uninstall')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
      expect(await cli('service', 'uninstall', '--yes')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(home),
      })
      expect(existsSync(join(folder, 'config/systemd/user/signalbox.service'))).toBe(false)
      expect((await cli('status')).code).toBe(3)
    } finally {
      await cli('stop', '--yes')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })

  it('B14 leaves the running server and the files alone if the service manager does not work', async () => {
    const folder = await emptyFolder()
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'systemctl'), '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n', { mode: 0o755 })
    const env = cleanEnv({
      PATH: `${bin}:${path}`,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      SIGNALBOX_HOME: join(folder, 'data'),
      SIGNALBOX_HTTP_PORT: '0',
    })
    try {
      const { pid } = JSON.parse((await runCli(['serve', '--detach', '--json'], env)).stdout) as { pid: number }
      expect(await runCli(['service', 'install'], env)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('daemon-reload failed: Failed to connect to bus'),
      })
      expect(JSON.parse((await runCli(['status', '--json'], env)).stdout)).toMatchObject({ pid })
      expect(existsSync(join(folder, 'config/systemd/user/signalbox.service'))).toBe(false)
    } finally {
      await runCli(['stop', '--yes'], env)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })

  it('B14 of the whole machine needs an account, and of another system says what works instead', async () => {
    const folder = await emptyFolder()
    const env = cleanEnv({ HOME: folder, SIGNALBOX_HOME: join(folder, 'data') })
    expect(await runCli(['service', 'install', '--system'], env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--user'),
    })
    const unit = await runCli(['service', 'install', '--system', '--user', 'signalbox', '--print'], env)
    expect(unit.stdout).toMatch(/User=signalbox\n[^]*WantedBy=multi-user.target/)
    await rm(folder, { recursive: true, force: true })
  })
})
