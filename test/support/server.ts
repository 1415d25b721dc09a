import { spawn, type ChildProcess } from 'node:child_process'
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApi, type Api } from './api.ts'
import { postgresWithSchema } from './postgres.ts'
import { scale } from './scale.ts'
import { within } from './until.ts'

/** A configured workspace, unless a test says otherwise: agents' tokens may work there. */
const vouched = '/srv/place'

export const databases = ['sqlite', 'postgres'] as const
export type DatabaseKind = (typeof databases)[number]
/** For suites that are not about storage: PostgreSQL too in `npm run test:long`. */
export const usualDatabases = scale<readonly DatabaseKind[]>({ test: ['sqlite'], long: databases })

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'dist', 'signalbox.js')

export type ServerOptions = {
  database?: DatabaseKind
  /** TOML. */
  config?: string
  env?: Record<string, string>
  args?: readonly string[]
  cwd?: string
  /** An ordinary user, as whom root runs the server. */
  uid?: number
  /** False: the configuration has no workspace, so agents' tokens start sessions only in repos. */
  vouches?: boolean
}

export type Ran = { code: number | null; stdout: string; stderr: string }

/** The real program in its own data directory. */
export type Server = AsyncDisposable & {
  readonly home: string
  /** For directories outside the data directory, which can't be a workspace; removed with the server. */
  readonly outside: string
  /** PostgreSQL's address; null with SQLite, whose file is `signalbox.db` in `home`. */
  readonly databaseUrl: string | null
  readonly address: string
  readonly socket: string
  readonly loginLink: string
  readonly pid: number
  /** With a token over TCP; without one, the local owner through the socket. */
  api(token?: string): Api
  /** Over TCP with only these headers. */
  tcp(headers?: Record<string, string>): Api
  cli(...args: string[]): Promise<Ran>
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again in the same home, with another configuration if given. */
  restart(config?: string): Promise<void>
  /** Its standard error and its output since its last start. */
  log(): string
  printed(): string
}

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  await using stack = new AsyncDisposableStack()
  const home = await freshHome()
  const outside = `${home}.outside`
  for (const path of [home, outside, `${home}.groups`])
    stack.defer(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  const postgres = options.database === 'postgres' ? stack.use(await postgresWithSchema()) : null
  const env = cleanEnv({
    SIGNALBOX_HOME: home,
    SIGNALBOX_HTTP_PORT: '0',
    // Tests end processes, not machines: what is written survives that without a wait for the disk at each commit.
    ...(!/^synchronous/m.test(options.config ?? '') && { SIGNALBOX_DATABASE__SYNCHRONOUS: 'normal' }),
    ...(options.vouches !== false &&
      !/^workspace_root/m.test(options.config ?? '') && { SIGNALBOX_WORKSPACE_ROOT: vouched }),
    ...(postgres && { SIGNALBOX_DATABASE__URL: postgres.url }),
    ...options.env,
  })
  if (options.config !== undefined) await writeFile(join(home, 'config.toml'), options.config)
  const file = env['SIGNALBOX_DATABASE__URL'] === undefined ? join(home, 'signalbox.db') : null
  if (file !== null) await writeFile(file, await migratedFile(), { mode: 0o600 })
  if (options.uid !== undefined)
    for (const path of file === null ? [home] : [home, file]) await chown(path, options.uid, options.uid)
  const socket = join(home, 'run', 'signalbox.sock')
  let running = await launch(env, options)
  stack.defer(() => running.stop('SIGTERM'))
  const kept = stack.move()
  return {
    home,
    outside,
    databaseUrl: postgres?.url ?? null,
    get address() {
      return running.address
    },
    socket,
    get loginLink() {
      return running.loginLink
    },
    get pid() {
      return running.pid
    },
    api(token) {
      if (token === undefined) return createApi({ socket })
      return createApi({ address: running.address }, { authorization: `Bearer ${token}` })
    },
    tcp: (headers = {}) => createApi({ address: running.address }, headers),
    cli: (...args) => runCli(args, env),
    kill: (signal = 'SIGKILL') => running.stop(signal),
    async restart(config) {
      await running.stop('SIGTERM')
      if (config !== undefined) await writeFile(join(home, 'config.toml'), config)
      // The variable would override the file.
      if (/^workspace_root/m.test(config ?? '')) delete env['SIGNALBOX_WORKSPACE_ROOT']
      running = await launch(env, options)
    },
    log: () => running.log(),
    printed: () => running.printed(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

let migrated: Promise<Buffer> | undefined

/** A database with the schema and nothing else, made once by each worker: a quarter of what a first start computes. */
function migratedFile(): Promise<Buffer> {
  migrated ??= migrateFile().catch((error: unknown) => {
    // The next one tries again: one late process must not fail every test of this worker.
    migrated = undefined
    throw error
  })
  return migrated
}

async function migrateFile(): Promise<Buffer> {
  const home = await freshHome()
  try {
    const { code, stderr } = await runCli(['db', 'migrate'], cleanEnv({ SIGNALBOX_HOME: home }))
    if (code !== 0) throw new Error(`the schema for the tests was not made: ${stderr}`)
    return await readFile(join(home, 'signalbox.db'))
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** A temporary directory with a path short enough for a socket. */
export const freshHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'sbc-'))

/** A clean environment: nothing of the person running the tests leaks in. */
export function cleanEnv(more: Record<string, string>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'USER', 'SystemRoot']
  const own = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...more }
}

/** Runs the command line to its end. */
export function runCli(args: readonly string[], env: Record<string, string>, cwd = root): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const stdout = gather(child, 'stdout')
  const stderr = gather(child, 'stderr')
  const done = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout: stdout(), stderr: stderr() }))
  })
  return within(done, `the end of signalbox ${args.join(' ')}`, 30).finally(() => child.kill('SIGKILL'))
}

type Running = {
  address: string
  loginLink: string
  pid: number
  stop(signal: NodeJS.Signals): Promise<void>
  log(): string
  printed(): string
}

async function launch(env: Record<string, string>, options: ServerOptions): Promise<Running> {
  const args = [program, 'serve', ...(options.args ?? [])]
  const child = spawn(process.execPath, args, {
    env,
    cwd: options.cwd ?? root,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  })
  const printed = gather(child, 'stdout')
  const log = gather(child, 'stderr')
  const exited = new Promise<void>((resolve) => {
    child.on('close', () => resolve())
  })
  const ready = new Promise<[string, string]>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => reject(new Error(`the server ended with ${code}\n${printed()}\n${log()}`)))
    child.stdout?.on('data', () => {
      const address = /running at (http\S+)/.exec(printed())?.[1]
      const link = /Sign in\s+(http\S+)/.exec(printed())?.[1]
      if (address && link) resolve([address, link])
    })
  })
  // An interrupted run leaves nothing behind.
  const orphaned = () => child.kill('SIGKILL')
  process.on('exit', orphaned)
  void exited.then(() => process.off('exit', orphaned))
  const stop = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await within(exited, 'the end of the server').catch(async (error: unknown) => {
      child.kill('SIGKILL')
      await exited
      throw error
    })
  }
  try {
    const [address, loginLink] = await within(ready, 'the start of the server', 30)
    return { address, loginLink, pid: child.pid ?? 0, stop, log, printed }
  } catch (error) {
    await stop('SIGKILL')
    throw error
  }
}

function gather(child: ChildProcess, from: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = []
  child[from]?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}
