import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { engineMissing, engineNames } from '../../scripts/lib/engines.mjs'
import { until } from './until.ts'

export type EngineName = (typeof engineNames)[number]
export { engineMissing, engineNames }

/** Images are kept between runs, outside the clone: agents' programs in it are mounted, and an engine refuses to mount itself. */
const clone = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(tmpdir(), `sbe-images-${createHash('sha256').update(clone).digest('hex').slice(0, 8)}`)

/** The service of an engine, of these tests alone. */
export type EngineService = AsyncDisposable & {
  readonly socket: string
  readonly name: EngineName
  /** Its own command line, on the same images. */
  readonly cli: readonly [string, ...string[]]
  kill(): Promise<void>
  /** Starts it again at the same place. */
  again(): Promise<AsyncDisposable>
}

type Options = { fresh?: boolean; folder?: string }

export async function startEngine(name: EngineName, options: Options = {}): Promise<EngineService> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'sbe-'))
  const socket = join(folder, 'engine.sock')
  rmSync(socket, { force: true })
  const data = options.fresh === true ? join(folder, 'data') : join(cache, name)
  mkdirSync(data, { recursive: true })
  const child = name === 'podman' ? podman(folder, data, socket) : docker(folder, data, socket)
  const exited = once(child, 'exit')
  try {
    await until(() => answers(socket), { what: `the start of ${name}`, seconds: 30 })
  } catch (error) {
    child.kill('SIGKILL')
    // Another run holds the images: use others.
    if (options.fresh !== true) return startEngine(name, { fresh: true })
    throw error
  }
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await exited
      // Docker's containerd ends with it, but a new dockerd that still finds its number takes it for running, and waits in vain.
      const left = join(folder, 'run/containerd/containerd.pid')
      const pid = existsSync(left) ? readFileSync(left, 'utf8').trim() : ''
      if (pid !== '')
        await until(() => Promise.resolve(!existsSync(join('/proc', pid))), { what: 'the end of containerd' })
    }
  }
  return {
    socket,
    name,
    cli: name === 'podman' ? ['podman', ...placeOf(data)] : ['docker', '-H', `unix://${socket}`],
    kill: () => kill('SIGKILL'),
    again: () => startEngine(name, { ...options, folder }),
    async [Symbol.asyncDispose]() {
      await kill('SIGTERM')
      // Podman keeps a mount on its images; engines that were killed leave more.
      for (const place of mountsBelow(folder)) spawnSync('umount', ['--lazy', place], { stdio: 'ignore' })
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Without the mark of a test run: what Podman leaves for minutes after an exec is not ours. */
const env = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: process.env['HOME'] ?? '/root',
}

const logOf = (folder: string) => openSync(join(folder, 'log'), 'a')

/** Podman notes where it was, and refuses to work elsewhere with the same images. */
function placeOf(data: string): string[] {
  const run = join(tmpdir(), `sbe-run-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`)
  return ['--root', data, '--runroot', run, '--cgroup-manager', 'cgroupfs']
}

function podman(folder: string, data: string, socket: string): ChildProcess {
  const log = logOf(folder)
  // It leaves a file called oom where it was started.
  return spawn('podman', [...placeOf(data), 'system', 'service', '--time=0', `unix://${socket}`], {
    cwd: folder,
    stdio: ['ignore', log, log],
    env,
  })
}

function docker(folder: string, data: string, socket: string): ChildProcess {
  const place = ['--data-root', data, '--exec-root', join(folder, 'run'), '-p', join(folder, 'pid')]
  const alone = ['--iptables=false', '--ip6tables=false', '--bridge=none']
  const log = logOf(folder)
  return spawn('dockerd', [...place, ...alone, '-H', `unix://${socket}`], { stdio: ['ignore', log, log], env })
}

/** The deepest first. */
const mountsBelow = (folder: string): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(`${folder}/`))
    .toReversed()

const answers = (socket: string): Promise<boolean> =>
  existsSync(socket)
    ? engineCall(socket, 'GET', '/_ping').then(
        ({ status }) => status === 200,
        () => false,
      )
    : Promise.resolve(false)

export function engineCall(
  socketPath: string,
  method: string,
  path: string,
  /** JSON, or a tar. */
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const type = body instanceof Uint8Array ? 'application/x-tar' : 'application/json'
    const headers = { host: 'engine', ...(body !== undefined && { 'content-type': type }) }
    const request = http.request({ socketPath, method, path, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => {
        let read: unknown = text
        try {
          read = JSON.parse(text)
        } catch {
          // Text as it is.
        }
        resolve({ status: answer.statusCode ?? 0, body: read })
      })
    })
    request.on('error', reject)
    request.end(body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body))
  })
}

type Listed = { Id: string; State: string; Labels: Record<string, string>; Image: string }

/** Containers of these sessions, also those that have ended. */
export async function containersOf(socket: string, session: { id: string }): Promise<Listed[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`signalbox.session=${session.id}`] }))
  return (await engineCall(socket, 'GET', `/v1.41/containers/json?all=1&filters=${filters}`)).body as Listed[]
}

/** The engines that the set-up started, for workers. */
export const engineSocket = (name: EngineName): string =>
  process.env[`SIGNALBOX_TEST_ENGINE_${name.toUpperCase()}`] ?? ''
