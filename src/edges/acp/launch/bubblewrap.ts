import { execFile } from 'node:child_process'
import { findProgram } from './find-program.ts'

export type Bubblewrap =
  | { readonly works: true; readonly program: string }
  | { readonly works: false; readonly why: string }

/** Namespaces, a private /proc and /dev, and nothing left behind when whoever started it is gone. */
export const namespaces: readonly string[] =
  '--unshare-pid --unshare-ipc --die-with-parent --new-session --dev /dev --proc /proc'.split(' ')

/**
 * Root keeps all its rights in bubblewrap unless told otherwise. Those that could undo the sandbox go. Those over files
 * stay, so that an agent of root can still unpack an archive, and the one Codex needs for a sandbox inside this one.
 */
export const rightsOfRoot: readonly string[] = [
  '--cap-drop',
  'ALL',
  ...'CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_SETFCAP'.split(' ').flatMap((one) => ['--cap-add', one]),
]

// Programs that have worked once. A no is asked again each time, so that installing bubblewrap needs no restart.
const proven = new Set<string>()

/** Whether bubblewrap is there and the system lets it work, found out by running it. */
export async function probeBubblewrap(path: string, root: boolean): Promise<Bubblewrap> {
  const program = await findProgram('bwrap', path)
  if (program === null) return { works: false, why: 'bubblewrap (bwrap) is not installed' }
  if (proven.has(program)) return { works: true, program }
  const idle = (await findProgram('true', path)) ?? '/bin/true'
  const args = ['--ro-bind', '/', '/', ...namespaces, '--tmpfs', '/tmp', ...(root ? rightsOfRoot : []), '--', idle]
  const why = await new Promise<string | null>((resolve) => {
    execFile(program, args, { timeout: 10_000, env: {} }, (error, _, stderr) => {
      resolve(error === null ? null : stderr.trim().split('\n')[0] || error.message)
    })
  })
  if (why !== null) return { works: false, why: `bubblewrap does not work here (${why})` }
  proven.add(program)
  return { works: true, program }
}
