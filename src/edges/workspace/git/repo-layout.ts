import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readPlainFile } from '../../../lib/plain-file.ts'
import { isInside } from '../inside.ts'
import { isGitDirectory, readLink } from '../worktree-link.ts'

/** Where the parts of a repo are, with links resolved, found without running Git. */
export type RepoLayout = {
  /** The top of the work tree. */
  readonly top: string
  readonly gitDir: string
  /** The part that worktrees share; the same as `gitDir` in the repo itself. */
  readonly commonDir: string
  /** The repo of a submodule must configure where its work tree is. */
  readonly isSubmodule: boolean
}

/** Why Git is not run in a repo. */
export type OddRepo = { readonly odd: string }

/** The repo at a directory, or around it; null if there is none. */
export async function findLayout(directory: string): Promise<RepoLayout | OddRepo | null> {
  for (let at = directory; ; at = dirname(at)) {
    const found = await layoutAt(at)
    if (found !== null) return at === directory || (await isOurs(at, directory)) ? found : null
    if (dirname(at) === at) return null
  }
}

/** A repo around a workspace is used if it belongs to the owner of the workspace, or to the server's user. */
async function isOurs(top: string, workspace: string): Promise<boolean> {
  const [around, within] = await Promise.all([lstat(join(top, '.git')), lstat(workspace)])
  return around.uid === within.uid || around.uid === process.getuid?.()
}

async function layoutAt(top: string): Promise<RepoLayout | OddRepo | null> {
  const path = join(top, '.git')
  const found = await lstat(path).catch(() => null)
  if (found === null) return null
  if (found.isSymbolicLink()) return { odd: `${path} is a link` }
  if (found.isDirectory()) {
    if (!(await isGitDirectory(path))) return null
    const commondir = await lstat(join(path, 'commondir')).catch(() => null)
    if (commondir !== null) return { odd: `${join(path, 'commondir')} makes it part of another repo` }
    return { top, gitDir: path, commonDir: path, isSubmodule: false }
  }
  if (!found.isFile()) return { odd: `${path} is not a plain file` }
  const link = await readLink(top)
  if (link !== null) return { top, ...link, isSubmodule: false }
  const module = await submodule(top)
  if (module === null) return { odd: `${path} points to a repo that does not know this directory` }
  return { top, gitDir: module, commonDir: module, isSubmodule: true }
}

/** The Git directory of a submodule, in `modules` of the repo around it. */
async function submodule(top: string): Promise<string | null> {
  const pointer = await readPlainFile(join(top, '.git'), 8192)
  if (pointer.kind !== 'file') return null
  const named = /^gitdir: (?<path>[^\n]+)\n*$/.exec(pointer.bytes.toString())?.groups?.['path']
  const gitDir = named === undefined ? null : await realpath(resolve(top, named)).catch(() => null)
  const around = gitDir === null ? null : await layoutAround(top)
  if (gitDir === null || around === null) return null
  const modules = join(around.commonDir, 'modules')
  if (gitDir === modules || !isInside(modules, gitDir) || !(await isGitDirectory(gitDir))) return null
  return (await lstat(join(gitDir, 'commondir')).catch(() => null)) === null ? gitDir : null
}

async function layoutAround(top: string): Promise<RepoLayout | null> {
  if (dirname(top) === top) return null
  const found = await findLayout(dirname(top))
  return found === null || 'odd' in found ? null : found
}

/** Files that Git reads whole, and how large they may be. Others are read in parts. */
const KiB = 1024
const mostListed = 1000
const small: readonly (readonly [name: string, most: number])[] = [
  ['HEAD', 64 * KiB],
  ['info/exclude', 1024 * KiB],
  ['info/attributes', 1024 * KiB],
  ['info/sparse-checkout', 1024 * KiB],
  ['info/grafts', 1024 * KiB],
  ['shallow', 16 * 1024 * KiB],
  ['packed-refs', 512 * 1024 * KiB],
  ['index', 2 * 1024 * 1024 * KiB],
]

/** Why Git might hang, read without end, or be led to other files; null if nothing is suspicious. */
export async function oddPart({ top, gitDir, commonDir }: RepoLayout): Promise<string | null> {
  for (const directory of new Set([gitDir, commonDir]))
    for (const [name, most] of small) {
      const why = await notPlain(join(directory, name), most)
      if (why !== null) return why
    }
  for (const name of ['.gitignore', '.gitattributes', '.gitmodules']) {
    const why = await notPlain(join(top, name), 1024 * KiB)
    if (why !== null) return why
  }
  return (await oddWorktree(join(commonDir, 'worktrees'))) ?? alternates(join(commonDir, 'objects'))
}

/** Git itself does not follow links of a work tree, but their targets must be plain files too. */
async function notPlain(path: string, most: number): Promise<string | null> {
  const found = await stat(path).catch((error: unknown) => codeOf(error))
  if (typeof found === 'string')
    return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(found) ? null : `${path} can't be opened (${found})`
  if (!found.isFile()) return `${path} is not a plain file`
  return found.size > most ? `${path} is larger than ${most / KiB} KiB` : null
}

async function oddWorktree(directory: string): Promise<string | null> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names.slice(0, mostListed))
    for (const file of ['HEAD', 'gitdir', 'commondir', 'locked', 'index']) {
      const why = await notPlain(join(directory, name, file), file === 'index' ? 2 * 1024 * 1024 * KiB : 64 * KiB)
      if (why !== null) return why
    }
  return names.length > mostListed ? `${directory} has more than ${mostListed} entries` : null
}

/** Objects of another repo are refused: an agent that can write here could make us read there. */
async function alternates(objects: string): Promise<string | null> {
  for (const name of ['info/alternates', 'info/http-alternates']) {
    const path = join(objects, name)
    const file = await readPlainFile(path, 64 * KiB)
    if (file.kind === 'odd') return `${path} ${file.why}`
    if (file.kind === 'missing') continue
    for (const line of file.bytes.toString().split('\n')) {
      if (line === '' || line.startsWith('#')) continue
      const real = await realpath(resolve(objects, line)).catch(() => null)
      if (real === null || !isInside(objects, real)) return `${path} points to the objects of another repo`
    }
  }
  return null
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
