import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram } from './absolute-program.ts'
import { seccompFilter } from './seccomp.ts'

export type Bubblewrap =
  | { readonly works: true; readonly program: string }
  | { readonly works: false; readonly why: string }

/** Namespaces, a private /proc and /dev, and nothing left running when the parent is gone. */
export const namespaces: readonly string[] =
  '--unshare-pid --unshare-ipc --die-with-parent --new-session --dev /dev --proc /proc'.split(' ')

/** The id of root inside: an ordinary user without rights over other users' files. */
export const insideId = 1000

/**
 * Root keeps all its rights in bubblewrap by default. In a user namespace of its own it has none outside, and under
 * another id none inside.
 */
export const rightsOfRoot: readonly string[] =
  `--unshare-user --uid ${insideId} --gid ${insideId} --cap-drop ALL`.split(' ')

// Programs that have worked once. A failure is tested again each time, so that installing bubblewrap needs no restart.
const proven = new Set<string>()

/** Whether bubblewrap is installed and the system allows it, tested by running it. */
export async function probeBubblewrap(path: string, root: boolean): Promise<Bubblewrap> {
  const program = await findProgram('bwrap', path)
  if (program === null) return { works: false, why: 'bubblewrap (bwrap) is not installed' }
  if (proven.has(program)) return { works: true, program }
  const idle = (await findProgram('true', path)) ?? '/bin/true'
  const args = ['--ro-bind', '/', '/', ...namespaces, '--tmpfs', '/tmp', ...(root ? rightsOfRoot : []), '--', idle]
  const why = await complaint([program, ...args])
  if (why !== null) return { works: false, why: `bubblewrap does not work here (${why})` }
  proven.add(program)
  return { works: true, program }
}

/** The error of a command in one line; null if it succeeds. */
const complaint = (argv: readonly string[]): Promise<string | null> =>
  new Promise((resolve) => {
    const [program = '', ...args] = argv
    execFile(program, args, { timeout: 10_000, env: {} }, (error, _, stderr) => {
      resolve(error === null ? null : stderr.trim().split('\n')[0] || error.message)
    })
  })

const filterDescriptor = '9'

/**
 * Bubblewrap with the system call filter, which it reads from a descriptor: a shell opens the file and then execs
 * bubblewrap. If there is no filter for this processor, just bubblewrap.
 */
export async function withFilter(program: string, directory: string, root: boolean): Promise<string[]> {
  const filter = seccompFilter({ attributes: root ? 'refused' : 'allowed' })
  if (filter === null) return [program]
  const name = `seccomp-${createHash('sha256').update(filter).digest('hex').slice(0, 16)}.bpf`
  const file = await writeOnce(directory, name, filter)
  const opening = `exec "$@" ${filterDescriptor}<"$0"`
  return ['/bin/sh', '-c', opening, file, program, '--seccomp', filterDescriptor]
}

/** Writes a file that is complete from the moment it exists. Its name identifies its content. */
export async function writeOnce(directory: string, name: string, content: Buffer | string): Promise<string> {
  const file = join(directory, name)
  const there = await stat(file).catch(() => null)
  if (there?.isFile() === true && there.size === Buffer.byteLength(content)) return file
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const aside = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`
  // Other users inside must read it too; outside, the directory is closed to them.
  await writeFile(aside, content, { mode: 0o644, flag: 'wx' })
  await rename(aside, file)
  return file
}
