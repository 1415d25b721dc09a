import { execFileSync, spawn as spawnProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { cleanEnv, freshHome, runCli, type Ran } from '../support/server.ts'
import { until, within } from '../support/until.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

/** The command that runs the command line, for scripts. */
export const cliCommand = `'${process.execPath}' '${program}'`

/** A person at a terminal. */
export type UserTerminal = {
  readonly pid: number
  /** Everything on the terminal so far, one character per byte. */
  shown(): string
  /** Only what comes after this call. */
  sinceNow(): () => string
  until(what: string | RegExp): Promise<void>
  type(text: string | Buffer): void
  resize(cols: number, rows: number): void
  /** Closes the window. */
  hangUp(): void
  /** As a shell reports it. */
  ended(): Promise<number>
}

export type RunHarness = AsyncDisposable & {
  readonly home: string
  readonly env: Record<string, string>
  /** The command line in a terminal. */
  openTerminal(...args: string[]): UserTerminal
  /** Anything in a terminal. */
  openTerminalWith(file: string, args: string[]): UserTerminal
  cli(...args: string[]): Promise<Ran>
  /** The command line between pipes. */
  piped(args: string[], input: string): Promise<Ran>
}

/** A data directory, and terminals to call the command line from. Nothing started there outlives it. */
export async function openRunHarness(
  options: { home?: string; env?: Record<string, string> } = {},
): Promise<RunHarness> {
  const own = options.home === undefined
  const home = options.home ?? (await realpath(await freshHome()))
  const env = cleanEnv({ SIGNALBOX_HOME: home, TERM: 'xterm-256color', PS1: '$ ', ...options.env })
  const terminals: { kill(): void }[] = []

  const openTerminalWith = (file: string, args: string[]): UserTerminal => {
    const pty = spawn(file, args, { env, cwd: home, cols: 100, rows: 30, encoding: null })
    const chunks: Buffer[] = []
    // Without an encoding the data are bytes, whatever the types say.
    pty.onData((data: unknown) => void chunks.push(Buffer.from(data as Buffer)))
    const end = new Promise<number>((resolve) => {
      pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode))
    })
    const shown = () => Buffer.concat(chunks).toString('latin1')
    terminals.push({ kill: () => pty.kill('SIGKILL') })
    return {
      pid: pty.pid,
      shown,
      sinceNow() {
        const from = shown().length
        return () => shown().slice(from)
      },
      async until(what) {
        const found = () => (typeof what === 'string' ? shown().includes(what) : what.test(shown()))
        await until(found, { what: `${String(what)} on the terminal` }).catch((error: unknown) => {
          throw new Error(`${String(error)}\nIt shows:\n${shown()}`)
        })
      },
      // Bytes are accepted too, whatever the types say.
      type: (text) => pty.write(Buffer.from(text) as unknown as string),
      resize: (cols, rows) => pty.resize(cols, rows),
      hangUp: () => pty.kill('SIGHUP'),
      ended: () => within(end, 'the end of the terminal'),
    }
  }

  return {
    home,
    env,
    openTerminalWith: openTerminalWith,
    openTerminal: (...args) => openTerminalWith(process.execPath, [program, ...args]),
    cli: (...args) => runCli(args, env, home),
    piped: (args, input) => piped(args, input, env, home),
    async [Symbol.asyncDispose]() {
      for (const terminal of terminals) terminal.kill()
      for (const pid of leftIn(home)) kill(pid)
      await until(() => leftIn(home).length === 0, { what: 'the end of what was started' })
      if (own) await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function piped(args: string[], input: string, env: Record<string, string>, cwd: string): Promise<Ran> {
  const child = spawnProcess(process.execPath, [program, ...args], { env, cwd })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.end(input)
  const done = new Promise<Ran>((resolve) => {
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    )
  })
  return within(done, `the end of signalbox ${args.join(' ')}`).finally(() => child.kill('SIGKILL'))
}

/** Processes with this data directory in their environment or arguments: keepers and what they hold. */
function leftIn(home: string): number[] {
  const isOurs = (pid: number) =>
    ['environ', 'cmdline'].some((file) => {
      try {
        return readFileSync(join('/proc', String(pid), file), 'utf8').includes(home)
      } catch {
        return false
      }
    })
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  return pids.filter((pid) => pid !== process.pid && isOurs(pid))
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

/** The settings of a process's terminal. */
export const settingsOf = (pid: number): string => {
  const tty = execFileSync('ps', ['-o', 'tty=', '-p', String(pid)])
    .toString()
    .trim()
  return execFileSync('stty', ['-F', `/dev/${tty}`, '-a']).toString()
}
