import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readPlainFile } from '../../../lib/plain-file.ts'
import type { Mount } from './mounts.ts'
import { isWithin, realOrNull } from './paths.ts'

const mostModules = 50

/**
 * Git runs hooks and configured commands outside the sandbox the next time a person uses it. So an agent may write the
 * repository, but not those.
 */
export async function guardGit(directories: readonly string[]): Promise<Mount[]> {
  const mounts: Mount[] = []
  for (const directory of directories) {
    // For a worktree, the directory may be the Git directory itself.
    const named = (await isRepository(directory)) ? directory : join(directory, '.git')
    const git = await realOrNull(named)
    if (git === null || !isWithin(directory, git)) continue
    if ((await stat(git)).isDirectory()) {
      mounts.push(...(await guarded(git)), ...(await obeyed(git, directory)))
      continue
    }
    mounts.push({ kind: 'read', at: git, from: git })
    const elsewhere = await realOrNull(resolve(directory, await pointer(git)))
    if (elsewhere !== null && elsewhere !== directory && isWithin(directory, elsewhere))
      mounts.push(...(await guarded(elsewhere)))
  }
  return mounts
}

/** Configuration and hooks in the workspace that the Git configuration refers to. */
async function obeyed(git: string, workspace: string): Promise<Mount[]> {
  const lines = (await configOf(git)).split('\n')
  const mounts: Mount[] = []
  for (const line of lines) {
    const [, key, value] = /^\s*(path|hookspath)\s*=\s*"?(.*?)"?\s*$/i.exec(line) ?? []
    if (key === undefined || value === undefined) continue
    const at = await realOrNull(resolve(key.toLowerCase() === 'path' ? git : workspace, value))
    if (at !== null && at !== workspace && isWithin(workspace, at)) mounts.push({ kind: 'read', at, from: at })
  }
  return mounts
}

async function configOf(git: string): Promise<string> {
  const file = await readPlainFile(join(git, 'config'), 1_000_000)
  return file.kind === 'file' ? file.bytes.toString() : ''
}

/** The repository that a `.git` file points to. */
async function pointer(path: string): Promise<string> {
  const file = await readPlainFile(path, 8192)
  return (file.kind === 'file' ? /^gitdir: (.+)/.exec(file.bytes.toString())?.[1] : undefined) ?? '.'
}

async function guarded(git: string): Promise<Mount[]> {
  // The agent could create a missing one.
  await mkdir(join(git, 'hooks'), { recursive: true }).catch(() => undefined)
  const names = ['hooks', 'config', 'config.worktree', 'commondir', 'gitdir']
  const named = [git, ...(await below(join(git, 'worktrees'))), ...(await modules(join(git, 'modules')))]
  // A symlink could lead out of the repository, and files are created there.
  const real = await Promise.all(named.map(realOrNull))
  const places = real.flatMap((place) => (place !== null && isWithin(git, place) ? [place] : []))
  // Pinned: a mount point can't be moved away and replaced.
  const mounts: Mount[] = [{ kind: 'write', at: git, from: git, pinned: true }]
  if (await hasOwnConfigurations(git)) for (const place of places) await makeEmpty(join(place, 'config.worktree'))
  for (const at of places.flatMap((place) => names.map((name) => join(place, name)))) {
    const real = await realOrNull(at)
    // A symlink could lead out of the repository and expose its target.
    if (real !== null && isWithin(git, real)) mounts.push({ kind: 'read', at: real, from: real })
  }
  return mounts
}

/** Git reads config.worktree only if this is set. */
const hasOwnConfigurations = async (git: string): Promise<boolean> =>
  /^[^\S\n]*worktreeconfig[^\S\n]*=[^\S\n]*(?:true|yes|on|1)/im.test(await configOf(git))

const makeEmpty = (file: string): Promise<void> => writeFile(file, '', { flag: 'wx' }).catch(() => undefined)

/** The Git directories of submodules, at any depth. */
async function modules(directory: string): Promise<string[]> {
  const found: string[] = []
  let level = await below(directory)
  while (level.length > 0 && found.length < mostModules) {
    const next: string[] = []
    for (const one of level) {
      if (!(await isRepository(one))) next.push(...(await below(one)))
      else found.push(one, ...(await modules(join(one, 'modules'))))
    }
    level = next
  }
  return found
}

async function below(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(directory, entry.name)] : []))
}

const isRepository = async (directory: string): Promise<boolean> => {
  const [head, objects] = await Promise.all(
    ['HEAD', 'objects'].map((name) => stat(join(directory, name)).catch(() => null)),
  )
  return head?.isFile() === true && objects?.isDirectory() === true
}
