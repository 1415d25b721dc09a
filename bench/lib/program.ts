import { execFile, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const root = join(import.meta.dirname, '..', '..')
const signalbox = join(root, 'dist', 'signalbox.js')
const patienceMs = 20_000

/** A server in its own process. */
export type Program = AsyncDisposable & {
  readonly pid: number
  readonly port: number
  /** From the spawn to the first 200 of /readyz. */
  readonly readyMs: number
}

/** Starts `node file …` and waits until /readyz answers. */
export async function startProgram(
  file: string,
  args: (port: number) => string[],
  env: Record<string, string> = {},
): Promise<Program> {
  const port = await freePort()
  const started = performance.now()
  const child = spawn(process.execPath, [file, ...args(port)], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: env['SIGNALBOX_HOME'] ?? process.env['HOME'], ...env },
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
  while (!(await answersReady(port))) {
    if (child.exitCode !== null) throw new Error(`${file} ended before it was ready (code ${child.exitCode})`)
    if (performance.now() - started > patienceMs) {
      await stop()
      throw new Error(`${file} was not ready after ${patienceMs} ms`)
    }
  }
  return { pid: child.pid ?? 0, port, readyMs: performance.now() - started, [Symbol.asyncDispose]: stop }
}

/** The product as it is installed, on a data directory. */
export const startSignalbox = (home: string, env: Record<string, string> = {}): Promise<Program> =>
  startProgram(signalbox, (port) => ['serve', '--port', String(port)], { SIGNALBOX_HOME: home, ...env })

/** A bearer token, made the way a person makes one. */
export async function makeToken(home: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [signalbox, 'tokens', 'create', '--name', 'bench', '--json'],
    { env: { ...process.env, SIGNALBOX_HOME: home } },
  )
  const { token } = JSON.parse(stdout) as { token: string }
  return token
}

/** One attempt: false if nothing listens yet. */
function answersReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const settle = (ready: boolean) => {
      socket.destroy()
      resolve(ready)
    }
    socket.once('connect', () =>
      socket.write(`GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
    )
    socket.once('data', (chunk) => settle(chunk.toString('latin1', 9, 12) === '200'))
    // A refused connect costs no time: without a pause the waiting itself would take a core.
    socket.once('error', () => setTimeout(settle, 1, false))
  })
}
