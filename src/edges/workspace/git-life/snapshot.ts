import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result } from '../../../lib/result.ts'
import { gitFailed, longestGit, type SessionRepo } from './session-repo.ts'

/** A directory of our own for an index and objects that the repo must not get. */
export type Scratch = AsyncDisposable & { readonly path: string; readonly env: Readonly<Record<string, string>> }

export async function openScratch(parent: string, commonDir: string): Promise<Scratch> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(parent, 'work-'))
  await mkdir(join(path, 'objects'))
  const env = {
    GIT_INDEX_FILE: join(path, 'index'),
    GIT_OBJECT_DIRECTORY: join(path, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(commonDir, 'objects'),
  }
  return { path, env, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/**
 * The files of a work tree as a Git tree. The agent can write anything to the repo's own index, such as flags that hide
 * a change. So each file is read again, into an index of our own.
 */
export async function snapshot(
  at: SessionRepo,
  scratch: Scratch,
  input: {
    /** The commit that the index starts from. */
    from: string
    /** Store the files in the repo, to commit them. */
    keep?: boolean
    /** Leave out files that Git does not track. */
    tracked?: boolean
  },
): Promise<Result<string>> {
  const { repo, top, gitDir, root, inside } = at
  const { commonDir } = repo.layout
  const { GIT_INDEX_FILE = '', ...objects } = scratch.env
  const git = repo.with({
    cwd: top,
    workTree: { gitDir, path: top },
    read: [root, gitDir],
    write: input.keep ? [scratch.path, commonDir] : [scratch.path],
    env: { GIT_INDEX_FILE, GIT_LITERAL_PATHSPECS: '1', ...(input.keep ? {} : objects) },
    timeMs: longestGit,
  })
  await rm(GIT_INDEX_FILE, { force: true })
  const begun = await git('read-tree', '-m', input.from)
  if (begun.code !== 0) return gitFailed("The commit can't be read", begun.stderr)
  const added = await git('add', input.tracked ? '--update' : '--all', '--', inside === '' ? '.' : inside)
  if (added.code !== 0) return gitFailed("A file can't be read", added.stderr)
  const written = await git('write-tree')
  return written.code === 0 ? ok(written.stdout.trim()) : gitFailed("The files can't be saved", written.stderr)
}
