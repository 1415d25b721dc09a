import { mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { refusedBySystem } from './faults.ts'
import { openGit, type Git, type GitOutput } from './git.ts'
import { readLink } from './worktree-link.ts'
import { whatWouldBeLost } from './worktree-work.ts'

export { commonGitDir } from './worktree-link.ts'

export type Worktree = { path: string; branch: string; commonDir: string }

/** A checkout of its own for one session, on a branch of its own. A second call gives the one that is there. */
export async function addWorktree(input: {
  repo: string
  sessionId: string
  /** Directory that holds the worktrees. */
  parent: string
}): Promise<Result<Worktree>> {
  const opened = await openRepo(input.repo)
  if (!opened.ok) return opened
  const { git, repo, commonDir } = opened.value
  if ((await git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')).code !== 0) return withoutCommit(input.repo)

  const short = input.sessionId.slice(0, 8)
  const branch = `signalbox/${short}`
  const parent = await makeDirectory(input.parent)
  if (!parent.ok) return parent
  const path = join(parent.value, `${basename(repo)}-${short}`)

  const entry = (await listed(git)).find((worktree) => worktree.path === path)
  const link = await readLink(path)
  if (entry !== undefined && !entry.unfinished && link?.commonDir === commonDir) return ok({ path, branch, commonDir })
  // A crash in the middle of an earlier call leaves half a checkout, which nobody has worked in.
  if (entry?.unfinished) await git('worktree', 'remove', '--force', '--force', path)

  const branchIsThere = (await git('show-ref', '--verify', '--quiet', `refs/heads/${branch}`)).code === 0
  const how = branchIsThere ? [path, branch] : ['--no-track', '-b', branch, path, 'HEAD']
  const added = await git('worktree', 'add', '--quiet', ...(entry === undefined ? [] : ['--force']), ...how)
  return added.code === 0 ? ok({ path, branch, commonDir }) : gitFailed(`No worktree could be made at ${path}`, added)
}

/** Removes a worktree, and its branch, if nothing is lost with them: otherwise `kept` says what would be. */
export async function removeWorktree(input: {
  repo: string
  path: string
}): Promise<Result<{ removed: boolean; kept: string | null }>> {
  const opened = await openRepo(input.repo)
  if (!opened.ok) return opened
  const { git, commonDir } = opened.value
  const parent = await realpath(dirname(resolve(input.path))).catch(() => dirname(resolve(input.path)))
  const path = join(parent, basename(input.path))
  const entry = (await listed(git)).find((worktree) => worktree.path === path)
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (!exists) {
    if (entry !== undefined) await git('worktree', 'remove', path)
    return ok({ removed: false, kept: null })
  }
  const link = await readLink(path)
  if (entry === undefined || link?.commonDir !== commonDir)
    return ok({ removed: false, kept: `${path} is not a worktree of ${input.repo}.` })

  const inside = await openGit(path, { gitDir: link.gitDir, workTree: path })
  if (!inside.ok) return inside
  const lost = await whatWouldBeLost({ repo: git, worktree: inside.value, branch: entry.branch })
  if (!lost.ok) return lost
  if (lost.value !== null) return ok({ removed: false, kept: lost.value })

  const removed = await inside.value('worktree', 'remove', path)
  if (removed.code !== 0) return ok({ removed: false, kept: lastLine(removed.stderr) })
  if (entry.branch?.startsWith('signalbox/') && entry.head !== null)
    await git('update-ref', '-d', `refs/heads/${entry.branch}`, entry.head)
  return ok({ removed: true, kept: null })
}

async function openRepo(path: string): Promise<Result<{ git: Git; repo: string; commonDir: string }>> {
  const repo = await realpath(path).catch(() => null)
  if (repo === null)
    return fail({ kind: 'not_found', code: 'path_not_found', message: `There is no directory ${path}.` })
  const git = await openGit(repo)
  if (!git.ok) return git
  const shared = await git.value('rev-parse', '--git-common-dir')
  if (shared.code !== 0)
    return shared.stderr.includes('not a git repository')
      ? fail({ kind: 'invalid', code: 'not_a_repo', message: `${path} is not a Git repository.` })
      : gitFailed(`${path} can't be used as a Git repository`, shared)
  return ok({ git: git.value, repo, commonDir: await realpath(resolve(repo, shared.stdout.trimEnd())) })
}

async function makeDirectory(path: string): Promise<Result<string>> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    return ok(await realpath(path))
  } catch (error) {
    return refusedBySystem(path, error)
  }
}

type Entry = { path: string; head: string | null; branch: string | null; unfinished: boolean }

async function listed(git: Git): Promise<Entry[]> {
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

const gitFailed = (what: string, { stderr }: GitOutput): Failed =>
  fail({ kind: 'unavailable', code: 'git_failed', message: `${what}: ${lastLine(stderr)}` })

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
