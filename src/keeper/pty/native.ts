import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { findProgram } from '../../lib/find-program.ts'
import { privateFiles } from '../private-files.ts'
import type { Exit, Size } from '../protocol/types.ts'

/** A program in its own terminal, and our end of that terminal. */
export type ForkedTerminal = { pid: number; fd: number; tty: string | null }

export type ForkRequest = Size & {
  file: string
  args: readonly string[]
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
  const { cwd, env, cols, rows } = request
  const [file, args] = closingFirst(privateFiles.list(), request.file, request.args)
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
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

/**
 * A command that closes these files and then becomes the program. Only some shells and interpreters can close files with
 * numbers above nine. Without one, the program starts as it is.
 */
function closingFirst(files: readonly number[], file: string, args: readonly string[]): [string, string[]] {
  if (files.length === 0) return [file, [...args]]
  for (const { name, leading } of closers) {
    const program = findProgram(name, '/', { PATH: '/usr/bin:/bin:/usr/local/bin' })
    if (program) return [program, [...leading(files), file, ...args]]
  }
  return [file, [...args]]
}

const closers: readonly { name: string; leading(files: readonly number[]): string[] }[] = [
  {
    name: 'bash',
    // Privileged mode: ignores files and functions that the environment names.
    leading: (files) => ['-p', '-c', `exec ${files.map((fd) => `${fd}>&-`).join(' ')}; exec "$@"`, 'bash'],
  },
  {
    name: 'perl',
    leading: (files) => [
      '-e',
      'for(split /,/,shift){open(my $f,"<&=",$_);close $f}exec {$ARGV[0]} @ARGV',
      files.join(','),
    ],
  },
  {
    name: 'busybox',
    leading: (files) => ['sh', '-c', `exec ${files.map((fd) => `${fd}>&-`).join(' ')}; exec "$@"`, 'sh'],
  },
]
