import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { lstat, readlink, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { findProgram } from './absolute-program.ts'
import { probeBubblewrap } from './bubblewrap.ts'
import { once } from './lazy.ts'
import { seccompFilter } from './seccomp.ts'

/** What a confined program sees besides the system's own programs. Real paths, each at its own location. */
export type Sight = {
  readonly read?: readonly string[]
  readonly write?: readonly string[]
  /** Files with replaced content inside; read-only. */
  readonly replaced?: readonly { readonly path: string; readonly text: string }[]
  /** Directories within the others that appear empty inside. */
  readonly hidden?: readonly string[]
  /** The whole machine, read-only: for a program that reads the operator's own settings. */
  readonly everything?: boolean
}

export type ProgramSpec = {
  readonly args: readonly string[]
  readonly cwd: string
  /** Complete: nothing is inherited from our own environment. */
  readonly env: Readonly<Record<string, string>>
  readonly sees: Sight
  /** After this time it is killed, with everything it started. */
  readonly timeMs: number
}

export type Ended = {
  /** Null if it was killed. */
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
  readonly timedOut: boolean
  readonly tooLong: boolean
}

/** A program that Signalbox runs on other people's files. */
export type Program = {
  /** Whether it runs in a sandbox. If not, the caller must keep it away from anything a workspace can configure. */
  readonly confined: boolean
  start(spec: ProgramSpec): ChildProcessWithoutNullStreams
  run(spec: ProgramSpec, limits?: { input?: string | Uint8Array; mostBytes?: number }): Promise<Ended>
}

const mostOutput = 64 * 1024 * 1024
const mostWords = 64 * 1024
const endsByItselfMs = 2000

/** Directories of system programs and libraries. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']
/** Files that the loader and the C library read. */
const settings = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'passwd', 'group', 'nsswitch.conf']

/** No network, no other processes, no /proc, and nothing left running when we are gone. */
const walls =
  '--unshare-pid --unshare-ipc --unshare-uts --unshare-net --die-with-parent --new-session --dev /dev'.split(' ')

/**
 * The sandbox ends with us, but only after it has asked the kernel for that: if we were killed before, it would stay. So
 * the first program inside reports that it is there, and begins only when we answer.
 */
const goAt = 3
const hereAt = 4
const firstFree = 5
const waitsForUs = `echo >&${hereAt}; read -r go <&${goAt} && exec "$@" ${goAt}<&- ${hereAt}>&-`

/** Root keeps only its rights over other users' files, so that another user's repo can be used. */
const rightsOfRoot = ['--cap-drop', 'ALL', ...['CAP_DAC_OVERRIDE', 'CAP_FOWNER'].flatMap((one) => ['--cap-add', one])]

/** The filter for agents also fits Git: it needs none of the refused calls. */
const filter = once(() => seccompFilter({ attributes: 'refused' }))
const filterAt = (descriptor: number): string[] => (filter() === null ? [] : ['--seccomp', String(descriptor)])

type FoundProgram = {
  readonly file: string
  /** Null if there is no sandbox here. */
  readonly bubblewrap: string | null
  readonly places: readonly string[]
  readonly rights: readonly string[]
}

// A program that has worked in the sandbox is not tested again; a failure is tested again each time.
const proven = new Map<string, FoundProgram>()

/** Null if there is no such program. */
export async function confinedProgram(name: string, path = process.env['PATH'] ?? ''): Promise<Program | null> {
  const file = await findProgram(name, path)
  if (file === null) return null
  const known = proven.get(`${file} ${path}`)
  if (known !== undefined) return programOf(known)
  const isRoot = process.getuid?.() === 0
  const bubblewrap = process.platform === 'linux' ? await probeBubblewrap(path, isRoot) : null
  const alone = { file, bubblewrap: null, places: [], rights: [] }
  if (bubblewrap?.works !== true) return programOf(alone)
  const places = await systemPlaces(file)
  const found = { file, bubblewrap: bubblewrap.program, places, rights: isRoot ? rightsOfRoot : [] }
  const program = programOf(found)
  const version = { args: ['--version'], cwd: '/', env: { LC_ALL: 'C' }, sees: {}, timeMs: 10_000 }
  if ((await program.run(version)).code !== 0) return programOf(alone)
  proven.set(`${file} ${path}`, found)
  return program
}

function programOf(found: FoundProgram): Program {
  const { file, bubblewrap } = found
  const begin = (spec: ProgramSpec): ChildProcessWithoutNullStreams => {
    const { cwd, env, args, sees } = spec
    const replaced = bubblewrap === null ? [] : (sees.replaced ?? [])
    const child =
      bubblewrap === null
        ? // A separate process group, so that all of it can be killed.
          spawn(file, args, { cwd, env, stdio: 'pipe', detached: true })
        : spawn(
            bubblewrap,
            [
              ...filterAt(firstFree + replaced.length),
              ...placesOf(found, sees),
              '--chdir',
              cwd,
              '--',
              '/bin/sh',
              '-c',
              waitsForUs,
              'sh',
              file,
              ...args,
            ],
            { cwd: '/', env, stdio: Array.from({ length: firstFree + replaced.length + 1 }, () => 'pipe' as const) },
          )
    const pipes: readonly unknown[] = child.stdio
    const handed = bubblewrap === null ? [] : [...replaced.map(({ text }) => text), filter() ?? '']
    for (const [index, content] of handed.entries()) writeAll(pipes[firstFree + index], content)
    if (bubblewrap !== null) (pipes[hereAt] as Readable | null)?.once('data', () => writeAll(pipes[goAt], '\n'))
    const whole: ChildProcessWithoutNullStreams = child
    // A program that exits early leaves a broken pipe; its exit code says what happened.
    whole.stdin.on('error', () => {})
    const timer = setTimeout(() => endAll(whole, bubblewrap !== null), spec.timeMs)
    timer.unref()
    whole.once('close', () => clearTimeout(timer))
    whole.once('error', () => clearTimeout(timer))
    return whole
  }
  return {
    confined: bubblewrap !== null,
    start: begin,
    async run(spec, { input, mostBytes = mostOutput } = {}) {
      const began = performance.now()
      let child: ChildProcessWithoutNullStreams
      try {
        child = begin(spec)
      } catch (error) {
        return ended(null, [], error instanceof Error ? error.message : String(error))
      }
      child.stdin.end(input)
      const pieces: Buffer[] = []
      let length = 0
      let tooLong = false
      child.stdout.on('data', (piece: Buffer) => {
        length += piece.length
        if (length <= mostBytes) pieces.push(piece)
        else if (!tooLong) {
          tooLong = true
          endAll(child, bubblewrap !== null)
        }
      })
      let words = ''
      child.stderr.on('data', (piece: Buffer) => void (words = `${words}${piece.toString()}`.slice(-mostWords)))
      const code = await new Promise<number | null>((resolve) => {
        child.once('error', (error) => {
          words ||= error.message
          resolve(null)
        })
        child.once('close', (status) => resolve(status))
      })
      const timedOut = code !== 0 && performance.now() - began >= spec.timeMs
      return { ...ended(timedOut || tooLong ? null : code, pieces, words), timedOut, tooLong }
    },
  }
}

function writeAll(pipe: unknown, content: string | Uint8Array): void {
  const to = pipe as Writable | null | undefined
  // A program that exited early does not read it.
  to?.on('error', () => {})
  to?.end(content)
}

const ended = (code: number | null, pieces: readonly Buffer[], stderr: string): Ended => ({
  code,
  stdout: Buffer.concat(pieces),
  stderr,
  timedOut: false,
  tooLong: false,
})

/**
 * The sandbox ends with the process that created it; without a sandbox, the group is killed. The first process inside is
 * killed first: then the outer one reaps it and exits on its own. In the other order process 1 would have to reap it,
 * which in many containers never happens.
 */
function endAll(child: ChildProcess, confined: boolean): void {
  if (child.pid === undefined) return
  if (confined) {
    for (const pid of childrenOf(child.pid)) signalQuietly(pid)
    // A sandbox that is still starting has no first process, or does not exit on its own.
    setTimeout(() => child.kill('SIGKILL'), endsByItselfMs).unref()
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // All of it is already gone.
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function signalQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}

function placesOf({ places, rights }: FoundProgram, sees: Sight): string[] {
  const words = [...(sees.everything ? ['--ro-bind', '/', '/'] : [...places, '--tmpfs', '/tmp']), ...walls, ...rights]
  const both = [
    ...(sees.read ?? []).map((path) => ({ path, how: '--ro-bind' })),
    ...(sees.write ?? []).map((path) => ({ path, how: '--bind' })),
  ]
  // Nested paths come after the paths that contain them.
  for (const { path, how } of both.toSorted((one, other) => one.path.length - other.path.length))
    words.push(how, path, path)
  for (const path of sees.hidden ?? []) words.push('--tmpfs', path)
  for (const [index, { path }] of (sees.replaced ?? []).entries())
    words.push('--ro-bind-data', String(firstFree + index), path)
  return words
}

/** The system's programs and libraries, with links kept as links, and the program's own folder if it is elsewhere. */
async function systemPlaces(program: string): Promise<string[]> {
  const words: string[] = []
  for (const path of system) {
    const found = await lstat(path).catch(() => null)
    if (found?.isSymbolicLink()) words.push('--symlink', await readlink(path), path)
    else if (found?.isDirectory()) words.push('--ro-bind', path, path)
  }
  for (const name of settings) words.push('--ro-bind-try', `/etc/${name}`, `/etc/${name}`)
  const real = await realpath(program)
  for (const folder of new Set([dirname(program), dirname(real)])) {
    if (system.some((path) => folder === path || folder.startsWith(`${path}/`))) continue
    words.push('--ro-bind', folder, folder)
    // Only its own parts, never the whole parent folder: that may be a home directory.
    for (const part of ['lib', 'lib64', 'libexec', 'share'])
      words.push('--ro-bind-try', join(folder, '..', part), join(folder, '..', part))
  }
  return words
}
