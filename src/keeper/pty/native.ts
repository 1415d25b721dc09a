import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { privateFiles } from '../private-files.ts'
import type { Exit, Size } from '../types.ts'
import { closingFirst } from './closing.ts'

/** A program in a terminal of its own, and our end of that terminal. */
export type Forked = { pid: number; fd: number; tty: string | null }

export type ForkRequest = Size & {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

/** The part of node-pty that is not JavaScript: its own reader closes a terminal 200 ms after the exit, read or not. */
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

/** Throws where no terminal is to be had. */
export function fork(request: ForkRequest, onExit: (exit: Exit) => void): Forked {
  const { cwd, env, cols, rows } = request
  const [file, args] = closingFirst(privateFiles.list(), request.file, request.args)
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const exit = (code: number, signal: number) =>
    onExit(signal ? { code: null, signal: signalName(signal) } : { code, signal: null })
  const started = binding().fork(file, args, pairs, cwd, cols, rows, -1, -1, true, helper(), exit)
  privateFiles.add(started.fd)
  return { pid: started.pid, fd: started.fd, tty: started.pty || null }
}

/** The program learns of it by SIGWINCH. */
export const resize = (fd: number, { cols, rows }: Size): void => binding().resize(fd, cols, rows)

/** macOS starts programs in a terminal by way of a small one of node-pty's. */
const helper = (): string =>
  process.platform === 'darwin' ? load.resolve(`@lydell/node-pty-darwin-${process.arch}/spawn-helper`) : ''

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
