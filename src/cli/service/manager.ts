import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { exit, Failure } from '../failure.ts'
import { label, launchdPlist, systemdUnit, unitName, type ServiceSpec } from './units.ts'

export type Scope = 'user' | 'system'
type Step = readonly [program: string, ...args: string[]]

/** The program of this system that keeps services running, for one person or the whole machine. */
export type ServiceManager = {
  readonly name: string
  readonly file: string
  text(spec: ServiceSpec): string
  /** Makes the service known. These also fail, with nothing changed, if the manager can't be reached. */
  readonly register: readonly Step[]
  readonly start: Step
  readonly restart: Step
  readonly uninstall: readonly Step[]
  readonly status: Step
  logs(follow: boolean): Step
  /** Worth doing, but nothing depends on it: without it a person's services end when they log out. */
  readonly linger: Step | null
}

type Platform = {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly home?: string
  readonly uid?: number
}

export function serviceManager(scope: Scope, here: Platform): ServiceManager {
  const home = here.home ?? homedir()
  if (here.platform === 'linux') return systemd(scope, here.env['XDG_CONFIG_HOME'] || join(home, '.config'))
  if (here.platform === 'darwin' && scope === 'user') return launchd(home, here.uid ?? userInfo().uid)
  throw new Failure({
    exit: exit.failed,
    code: 'no_service_manager',
    message:
      here.platform === 'darwin'
        ? 'On macOS, Signalbox is installed as a service of your account only.'
        : `Signalbox can't install a service on ${here.platform}.`,
    hint:
      here.platform === 'darwin' ? 'Leave --system out.' : 'Start it in the background with: signalbox serve --detach',
  })
}

function systemd(scope: Scope, config: string): ServiceManager {
  const own = scope === 'user' ? ['--user'] : []
  const control = (...args: string[]): Step => ['systemctl', ...own, ...args]
  return {
    name: 'systemd',
    file: scope === 'user' ? join(config, 'systemd', 'user', unitName) : join('/etc/systemd/system', unitName),
    text: systemdUnit,
    register: [control('daemon-reload'), control('enable', unitName)],
    start: control('restart', unitName),
    restart: control('restart', unitName),
    uninstall: [control('disable', '--now', unitName), control('daemon-reload')],
    status: control('status', '--no-pager', '--lines=5', unitName),
    logs: (follow) => [
      'journalctl',
      ...own,
      '--unit',
      unitName,
      ...(follow ? ['--follow'] : ['--no-pager', '--lines=200']),
    ],
    linger: scope === 'user' ? ['loginctl', 'enable-linger'] : null,
  }
}

function launchd(home: string, uid: number): ServiceManager {
  const file = join(home, 'Library', 'LaunchAgents', `${label}.plist`)
  const domain = `gui/${uid}`
  return {
    name: 'launchd',
    file,
    text: launchdPlist,
    register: [['launchctl', 'print', domain]],
    start: ['launchctl', 'bootstrap', domain, file],
    restart: ['launchctl', 'kickstart', '-k', `${domain}/${label}`],
    uninstall: [['launchctl', 'bootout', `${domain}/${label}`]],
    status: ['launchctl', 'print', `${domain}/${label}`],
    logs: (follow) => [
      'tail',
      ...(follow ? ['-f'] : ['-n', '200']),
      join(home, 'Library', 'Application Support', 'signalbox', 'run', 'server.log'),
    ],
    linger: null,
  }
}

/** `output`: everything printed, for people. npm warns on stderr even if it succeeds. */
export type Ran = { readonly code: number; readonly stdout: string; readonly output: string }

/** Runs a program of the system; `code` 127 if there is none. */
export const runStep = ([program, ...args]: Step, env: NodeJS.ProcessEnv): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(program, args, { env, encoding: 'utf8' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code === 'ENOENT' ? 127 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout: stdout.trim(), output: `${stdout}${stderr}`.trim() })
    })
  })

export async function mustRun(step: Step, env: NodeJS.ProcessEnv): Promise<void> {
  const { code, output } = await runStep(step, env)
  if (code === 0) return
  const command = step.join(' ')
  throw new Failure({
    exit: exit.failed,
    code: 'service_manager_failed',
    message: code === 127 ? `${step[0]}: command not found` : `${command} failed: ${output || `exit code ${code}`}`,
    hint: 'signalbox service install --print shows the file, to install it yourself; signalbox serve --detach needs no service.',
  })
}

export function writeService(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode: 0o644 })
  } catch (error) {
    throw notWritable(file, error)
  }
}

export function removeService(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch (error) {
    throw notWritable(file, error)
  }
}

export function installedService(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

const notWritable = (file: string, error: unknown): Failure =>
  new Failure({
    exit: exit.failed,
    code: 'file_not_writable',
    message: `${file} can't be changed: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'A service of the whole machine needs root: sudo signalbox service install --system --user NAME',
  })
