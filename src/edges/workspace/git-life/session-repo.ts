import { realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { openRepo, type Git, type GitRepo } from '../git/git.ts'
import { branchAt } from '../worktree.ts'

/** The repo that a session works in. */
export type SessionRepo = {
  readonly repo: GitRepo
  /** The top of its work tree. */
  readonly top: string
  readonly gitDir: string
  /** The workspace, from the top; empty if it is the top. Nothing outside it is read. */
  readonly inside: string
  readonly root: string
}

export const longestGit = 300_000

export async function openSessionRepo(root: string): Promise<Result<SessionRepo>> {
  const real = await realpath(root).catch(() => null)
  if (real === null) return noDirectory(root)
  const opened = await openRepo(real)
  if (!opened.ok) return opened
  if (opened.value === null) return noRepo(root)
  const { top, gitDir } = opened.value.layout
  return ok({ repo: opened.value, top, gitDir, inside: relative(top, real), root: real })
}

/** What Git is in the middle of in a work tree, or null. */
export async function inProgress(gitDir: string): Promise<string | null> {
  const names = {
    MERGE_HEAD: 'merge',
    'rebase-merge': 'rebase',
    'rebase-apply': 'rebase',
    CHERRY_PICK_HEAD: 'cherry-pick',
    REVERT_HEAD: 'revert',
  }
  for (const [name, what] of Object.entries(names)) if (await exists(join(gitDir, name))) return what
  return null
}

export type Head = { readonly commit: string; readonly branch: string | null }

export async function headOf({ repo, gitDir }: Pick<SessionRepo, 'repo' | 'gitDir'>): Promise<Result<Head>> {
  const git = repo.with({ cwd: gitDir, read: [gitDir], env: { GIT_DIR: gitDir } })
  const commit = await commitOf(git, 'HEAD')
  return commit === null ? noCommit() : ok({ commit, branch: await branchAt(git) })
}

/** The commit that a name leads to; null if it leads to none. */
export async function commitOf(git: Git, name: string): Promise<string | null> {
  const { code, stdout } = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  return code === 0 ? stdout.trim() : null
}

export const isAncestor = async (git: Git, old: string, recent: string): Promise<boolean> =>
  (await git('merge-base', '--is-ancestor', old, recent)).code === 0

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

export const gitFailed = (what: string, stderr: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'git_failed',
    message: `${what}: ${stderr.trim().split('\n').at(-1) ?? ''}`,
    hint: /index\.lock/.test(stderr) ? 'Another Git is at work there. Try again.' : undefined,
  })

const noDirectory = (root: string): Failed =>
  fail({ kind: 'not_found', code: 'path_not_found', message: `The workspace is no longer there: ${root}` })

const noRepo = (root: string): Failed =>
  fail({ kind: 'invalid', code: 'not_a_repo', message: `${root} is not a Git repository.` })

const noCommit = (): Failed =>
  fail({ kind: 'invalid', code: 'repo_without_commit', message: 'The repository has no commit yet.' })
