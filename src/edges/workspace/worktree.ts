import { lstat, mkdir, realpath, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { newRandomId } from '../../lib/id.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { refusedBySystem } from './faults.ts'
import { openRepo, type Git, type GitOutput, type GitRepo } from './git/git.ts'
import { readLink } from './worktree-link.ts'

export { commonGitDir } from './worktree-link.ts'

/** Enough for a large repo. */
const longestCheckout = 600_000

export type Worktree = { path: string; branch: string; commonDir: string; from: WorktreeOrigin }

/** What a worktree was made from. The branch is null if none was checked out. */
export type WorktreeOrigin = { branch: string | null; commit: string }

/** A worktree for one session, on its own branch. A second call returns the existing one. */
export async function addWorktree(input: {
  repo: string
  sessionId: string
  /** Directory that holds the worktrees. */
  parent: string
  /** For a new session, which must not get an existing one: people can choose session ids. */
  fresh?: boolean
}): Promise<Result<Worktree>> {
  const opened = await openAt(input.repo)
  if (!opened.ok) return opened
  const { repo } = opened.value
  const { git } = repo
  const { top, commonDir } = repo.layout
  const head = await git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (head.code !== 0) return withoutCommit(input.repo)
  const from = { branch: await branchAt(git), commit: head.stdout.trim() }

  const parent = await makeDirectory(input.parent)
  if (!parent.ok) return parent
  const placeOf = (short: string) => ({
    branch: `signalbox/${short}`,
    path: join(parent.value, `${basename(top)}-${short}`),
  })
  const isTaken = async ({ branch, path }: { branch: string; path: string }): Promise<boolean> =>
    (await lstat(path).catch(() => null)) !== null ||
    (await git('show-ref', '--verify', '--quiet', `refs/heads/${branch}`)).code === 0
  const usual = placeOf(input.sessionId.slice(0, 8))
  const { branch, path } =
    input.fresh === true && (await isTaken(usual)) ? placeOf(newRandomId<string>().slice(0, 8)) : usual

  const entry = (await listWorktrees(git)).find((worktree) => worktree.path === path)
  const link = await readLink(path)
  if (entry !== undefined && !entry.unfinished && link?.commonDir === commonDir)
    return ok({ path, branch, commonDir, from })
  // A crash during an earlier call leaves an incomplete checkout that was never used.
  if (entry?.unfinished) await removeIn(repo, path, ['--force', '--force'])

  const branchIsThere = (await git('show-ref', '--verify', '--quiet', `refs/heads/${branch}`)).code === 0
  const how = branchIsThere ? [path, branch] : ['--no-track', '-b', branch, path, 'HEAD']
  // Made first: Git sees nothing around it.
  const made = await makeDirectory(path)
  if (!made.ok) return made
  if (made.value !== path) return gitFailed(`No worktree could be made at ${path}`, { stderr: 'it is a link' })
  const adding = repo.with({ write: [commonDir, path], timeMs: longestCheckout })
  const added = await adding('worktree', 'add', '--quiet', ...(entry === undefined ? [] : ['--force']), ...how)
  if (added.code === 0) return ok({ path, branch, commonDir, from })
  await rmdir(path).catch(() => undefined)
  return gitFailed(`No worktree could be made at ${path}`, added)
}

/** In the sandbox the directory is a mount and can't be removed, so it is removed here once it is empty. */
async function removeIn(repo: GitRepo, path: string, how: readonly string[] = []): Promise<GitOutput> {
  const { commonDir } = repo.layout
  const exists = (await lstat(path).catch(() => null))?.isDirectory() === true
  const removing = repo.with({ write: exists ? [commonDir, path] : [commonDir], timeMs: longestCheckout })
  const removed = await removing('worktree', 'remove', ...how, path)
  const isGone = !(await listWorktrees(repo.git)).some((entry) => entry.path === path)
  if (!isGone || !exists) return removed
  return rmdir(path).then(
    () => ({ ...removed, code: 0 }),
    () => removed,
  )
}

/** What would be lost with a worktree, as text; null if nothing, or if it is gone. */
export async function worktreeState(input: {
  repo: string
  path: string
}): Promise<Result<{ exists: boolean; lost: string | null }>> {
  const link = await readLink(input.path)
  if (link === null) return ok({ exists: false, lost: null })
  const opened = await openAt(input.repo)
  if (!opened.ok) return opened
  const { repo } = opened.value
  const path = await realpath(input.path)
  if (link.commonDir !== repo.layout.commonDir) return ok({ exists: false, lost: null })
  const worktree = repo.with({ cwd: path, read: [path], workTree: { gitDir: link.gitDir, path } })
  const lost = await whatWouldBeLost({ repo: repo.git, worktree, branch: await branchAt(worktree) })
  return lost.ok ? ok({ exists: true, lost: lost.value }) : lost
}

/** Removes a worktree and its branch if no work is lost; otherwise `kept` says what would be. */
export async function removeWorktree(input: {
  repo: string
  path: string
  /** A person has agreed to lose what is not committed. A branch with commits of its own stays. */
  discard?: boolean
}): Promise<Result<{ removed: boolean; kept: string | null; branch?: string }>> {
  const opened = await openAt(input.repo)
  if (!opened.ok) return opened
  const { repo } = opened.value
  const { git } = repo
  const { commonDir } = repo.layout
  const parent = await realpath(dirname(resolve(input.path))).catch(() => dirname(resolve(input.path)))
  const path = join(parent, basename(input.path))
  const entry = (await listWorktrees(git)).find((worktree) => worktree.path === path)
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (!exists) {
    if (entry !== undefined) await removeIn(repo, path)
    return ok({ removed: false, kept: null })
  }
  const link = await readLink(path)
  if (entry === undefined || link?.commonDir !== commonDir)
    return ok({ removed: false, kept: `${path} is not a worktree of ${input.repo}.` })

  const worktree = repo.with({ cwd: path, read: [path], workTree: { gitDir: link.gitDir, path } })
  const lost = await whatWouldBeLost({ repo: git, worktree, branch: entry.branch })
  const discard = input.discard === true
  if (!discard && !lost.ok) return lost
  if (!discard && lost.ok && lost.value !== null) return ok({ removed: false, kept: lost.value })

  const removed = await removeIn(repo, path, discard ? ['--force', '--force'] : [])
  if (removed.code !== 0) return ok({ removed: false, kept: lastLine(removed.stderr) })
  if (discard && entry.head !== null && entry.branch !== null) {
    const commits = await ownCommits(git, entry.branch, entry.head)
    if (!commits.ok || commits.value > 0) return ok({ removed: true, kept: null, branch: entry.branch })
  }
  if (entry.branch?.startsWith('signalbox/') && entry.head !== null)
    await git('update-ref', '-d', `refs/heads/${entry.branch}`, entry.head)
  return ok({ removed: true, kept: null })
}

/** The branch that is checked out; null if none is. */
export async function branchAt(git: Git): Promise<string | null> {
  const { code, stdout } = await git('symbolic-ref', '--quiet', 'HEAD')
  const name = /^refs\/heads\/(?<name>.+)$/.exec(stdout.trim())?.groups?.['name']
  return code === 0 && name !== undefined ? name : null
}

export async function openAt(path: string): Promise<Result<{ repo: GitRepo }>> {
  if ((await realpath(path).catch(() => null)) === null)
    return fail({ kind: 'not_found', code: 'path_not_found', message: `Directory not found: ${path}` })
  const repo = await openRepo(path)
  if (!repo.ok) return repo
  if (repo.value !== null) return ok({ repo: repo.value })
  return fail({ kind: 'invalid', code: 'not_a_repo', message: `${path} is not a Git repository.` })
}

async function makeDirectory(path: string): Promise<Result<string>> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    return ok(await realpath(path))
  } catch (error) {
    return refusedBySystem(path, error)
  }
}

type WorktreeEntry = { path: string; head: string | null; branch: string | null; unfinished: boolean }

export async function listWorktrees(git: Git): Promise<WorktreeEntry[]> {
  const { stdout } = await git('worktree', 'list', '--porcelain')
  return stdout
    .split('\n\n')
    .map((block) => new Map(block.split('\n').map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)])))
    .map((fields) => ({
      path: fields.get('worktree') ?? '',
      head: fields.get('HEAD') ?? null,
      branch: fields.get('branch')?.replace('refs/heads/', '') ?? null,
      unfinished: fields.get('locked') === 'initializing',
    }))
}

const withoutCommit = (repo: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'repo_without_commit',
    message: `${repo} has no commit yet, so no worktree can be made from it.`,
    hint: 'Make a first commit, or start the session without a worktree.',
  })

const gitFailed = (what: string, { stderr }: Pick<GitOutput, 'stderr'>): Failed =>
  fail({ kind: 'unavailable', code: 'git_failed', message: `${what}: ${lastLine(stderr)}` })

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

/** What would be lost with a worktree, as text; null if nothing. Ignored files don't count. */
async function whatWouldBeLost(input: {
  repo: Git
  worktree: Git
  branch: string | null
}): Promise<Result<string | null>> {
  const { repo, worktree, branch } = input
  const index = await worktree('ls-files', '--stage', '-z')
  const head = await worktree('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (index.code !== 0 || head.code !== 0) return gitUnclear(index.stderr || head.stderr || 'HEAD names no commit.')
  // Git would use the submodule's own configuration to inspect it.
  if (/(?:^|\0)160000 /.test(index.stdout)) return ok('It has submodules, which may contain work.')

  const status = await worktree('status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=all')
  if (status.code !== 0) return gitUnclear(status.stderr)
  if (status.stdout !== '') return ok('It has uncommitted changes.')

  const own = await ownCommits(repo, branch, head.stdout.trim())
  if (!own.ok) return own
  const commits = own.value
  if (commits > 0) return ok(`It has ${commits === 1 ? 'a commit' : `${commits} commits`} that no other branch has.`)
  return ok(null)
}

/** The number of commits that only this branch has. Run in the repo: in the worktree, `HEAD` would count as another. */
async function ownCommits(repo: Git, branch: string | null, head: string): Promise<Result<number>> {
  const others = [
    ...(branch?.startsWith('signalbox/') ? [`--exclude=${branch}`] : []),
    '--branches',
    '--tags',
    '--remotes',
  ]
  const only = await repo('rev-list', '--count', head, '--not', ...others, '--')
  return only.code === 0 ? ok(Number(only.stdout.trim())) : gitUnclear(only.stderr)
}

const gitUnclear = (why: string): Result<never> =>
  fail({
    kind: 'unavailable',
    code: 'git_failed',
    message: `Git can't inspect the worktree: ${why.trim().split('\n').at(-1) ?? ''}`,
    hint: 'It was not changed. Check it yourself, and remove it with: git worktree remove',
  })
