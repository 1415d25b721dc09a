import { execFile, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const root = join(import.meta.dirname, '..', '..')
const signalbox = join(root, 'dist', 'signalbox.js')
const patienceMs = 20_000
/** opencode never answers a request that comes before its routes are mounted, so we ask again. */
const attemptMs = 500

/** A server in its own process. */
export type Program = AsyncDisposable & {
  readonly pid: number
  readonly port: number
  /** From the spawn to the first 200 of /readyz. */
  readonly readyMs: number
}

/** Starts `node file …` and waits until /readyz answers. */
export const startProgram = (
  file: string,
  args: (port: number) => string[],
  env: Record<string, string> = {},
): Promise<Program> => startCommand(process.execPath, (port) => [file, ...args(port)], { env: () => env })

export type CommandOptions = {
  env?: (port: number) => Record<string, string>
  cwd?: string
  /** What answers 200 as soon as it serves. */
  readyPath?: string
}

/** Starts a server by its command line and waits until it answers. */
export async function startCommand(
  command: string,
  args: (port: number) => string[],
  { env = () => ({}), cwd, readyPath = '/readyz' }: CommandOptions = {},
): Promise<Program> {
  const port = await freePort()
  const started = performance.now()
  const given = env(port)
  const child = spawn(command, args(port), {
    stdio: 'ignore',
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env['PATH'], HOME: given['SIGNALBOX_HOME'] ?? process.env['HOME'], ...given },
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = () => void child.kill('SIGKILL')
  // The bench ends what it started.
  process.once('exit', kill)
  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(kill, patienceMs)
    await ended
    clearTimeout(late)
    process.off('exit', kill)
  }
  while (!(await answersReady(port, readyPath))) {
    if (child.exitCode !== null) throw new Error(`${command} ended before it was ready (code ${child.exitCode})`)
    if (performance.now() - started > patienceMs) {
      await stop()
      throw new Error(`${command} was not ready after ${patienceMs} ms`)
    }
  }
  return { pid: child.pid ?? 0, port, readyMs: performance.now() - started, [Symbol.asyncDispose]: stop }
}

/** The installed product on a data directory. */
export const startSignalbox = (home: string, env: Record<string, string> = {}): Promise<Program> =>
  startProgram(signalbox, (port) => ['serve', '--port', String(port)], { SIGNALBOX_HOME: home, ...env })

/** The command line of a clone, as a person starts it. */
export const startClone = (home: string): Promise<Program> =>
  startCommand(join(root, 'signalbox'), (port) => ['serve', '--port', String(port)], {
    env: () => ({ SIGNALBOX_HOME: home }),
  })

/** A bearer token, created the way a person does. */
export async function makeToken(home: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [signalbox, 'tokens', 'create', '--name', 'bench', '--scope', 'full', '--json'],
    { env: { ...process.env, SIGNALBOX_HOME: home } },
  )
  const { token } = JSON.parse(stdout) as { token: string }
  return token
}

/** One attempt: false if nothing listens yet, or nothing answers in time. */
function answersReady(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const late = setTimeout(() => settle(false), attemptMs)
    const settle = (ready: boolean) => {
      clearTimeout(late)
      socket.destroy()
      resolve(ready)
    }
    socket.once('connect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
    )
    socket.once('data', (chunk) => settle(chunk.toString('latin1', 9, 12) === '200'))
    // A server that accepts and never answers is not ready; the caller's patience ends the wait.
    socket.setTimeout(1000, () => settle(false))
    // A refused connect takes no time: without a pause, polling would use a whole core.
    const again = () => setTimeout(settle, 1, false)
    socket.once('error', again)
    socket.once('end', again)
  })
}
