import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { privateFiles } from '../private-files.ts'
import type { Exit, Size } from '../protocol/types.ts'
import { launchedBy, type LaunchSettings } from './launcher.ts'

/** A program in its own terminal, and our end of that terminal. */
export type ForkedTerminal = { pid: number; fd: number; tty: string | null }

export type ForkRequest = Size &
  Pick<LaunchSettings, 'modes' | 'umask'> & {
    /** Its first word is looked up by the system, and is the program's own name for itself. */
    argv: readonly [string, ...string[]]
    cwd: string
    env: Readonly<Record<string, string>>
  }

/** The native part of node-pty. Its own reader closes a terminal 200 ms after the exit, even if output is unread. */
type Binding = {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helper: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string }
  resize(fd: number, cols: number, rows: number): void
}

const load = createRequire(import.meta.url)
let loaded: Binding | null = null

/** Loaded with the first terminal: a keeper that holds agents alone stays small. */
function binding(): Binding {
  if (loaded) return loaded
  const { requireBinary }: { requireBinary(file: string): Binding } = load('@lydell/node-pty/requireBinary.js')
  loaded = requireBinary('pty.node')
  return loaded
}

/** Throws if no terminal is available. */
export function fork(request: ForkRequest, onExit: (exit: Exit) => void): ForkedTerminal {
  const { cwd, cols, rows, modes, umask } = request
  const launch = launchedBy({ files: privateFiles.list(), modes, umask }, request.argv, request.env)
  const [file = '', ...args] = launch.argv
  const pairs = Object.entries(launch.env).map(([name, value]) => `${name}=${value}`)
  const exit = (code: number, signal: number) =>
    onExit(signal ? { code: null, signal: signalName(signal) } : { code, signal: null })
  const started = binding().fork(file, args, pairs, cwd, cols, rows, -1, -1, true, helper(), exit)
  privateFiles.add(started.fd)
  return { pid: started.pid, fd: started.fd, tty: started.pty || null }
}

/** The program gets SIGWINCH. */
export const resize = (fd: number, { cols, rows }: Size): void => binding().resize(fd, cols, rows)

/** macOS starts programs in a terminal through a helper of node-pty. */
const helper = (): string =>
  process.platform === 'darwin' ? load.resolve(`@lydell/node-pty-darwin-${process.arch}/spawn-helper`) : ''

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
