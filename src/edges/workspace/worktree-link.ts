import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { readPlainFile } from '../../lib/plain-file.ts'
import { isInside } from './inside.ts'

/** The Git directories of a worktree: its own, and the one it shares with its repo. */
export type WorktreeLink = { gitDir: string; commonDir: string }

/**
 * The link of a worktree, if both ends agree. An agent can write any path to the `.git` file of its workspace, but the
 * other end is in the repo's Git directory, so a repo without this worktree is never returned.
 */
export async function readLink(path: string): Promise<WorktreeLink | null> {
  const real = await realpath(path).catch(() => null)
  if (real === null) return null
  const named = /^gitdir: (?<path>[^\n]+)\n*$/.exec((await readSmall(join(real, '.git'))) ?? '')?.groups?.['path']
  if (named === undefined) return null
  const gitDir = await realpath(resolve(real, named)).catch(() => null)
  if (gitDir === null || basename(dirname(gitDir)) !== 'worktrees') return null
  const commonDir = dirname(dirname(gitDir))
  const back = (await readSmall(join(gitDir, 'gitdir')))?.trimEnd()
  const shared = (await readSmall(join(gitDir, 'commondir')))?.trimEnd()
  if (back === undefined || shared === undefined || !(await isGitDirectory(commonDir))) return null
  // Only the last name is not resolved: if `.git` were a link, it could have been read from anywhere.
  const backTo = await realpath(dirname(isAbsolute(back) ? back : resolve(gitDir, back))).catch(() => null)
  if (backTo !== real || basename(back) !== '.git') return null
  if ((await realpath(resolve(gitDir, shared)).catch(() => null)) !== commonDir) return null
  return { gitDir, commonDir }
}

/** Real path of the Git directory that a worktree shares with its repo, if that is outside the workspace. */
export async function commonGitDir(path: string): Promise<string | null> {
  const link = await readLink(path)
  if (link === null) return null
  return isInside(await realpath(path), link.commonDir) ? null : link.commonDir
}

export async function isGitDirectory(path: string): Promise<boolean> {
  const found = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => stat(join(path, name)).catch(() => null)))
  return found.every((entry) => entry !== null)
}

/** A small regular file; never through a link, never waiting on a pipe. */
async function readSmall(path: string): Promise<string | null> {
  const file = await readPlainFile(path, 8192)
  return file.kind === 'file' ? file.bytes.toString() : null
}
