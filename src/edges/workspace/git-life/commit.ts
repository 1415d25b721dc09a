import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { listWorktrees } from '../worktree.ts'
import { gitFailed, headOf, inProgress, longestGit, openSessionRepo, type SessionRepo } from './session-repo.ts'
import { openScratch, snapshot } from './snapshot.ts'

export type Author = { readonly name: string; readonly email: string }

/** Asks whether it may continue, and records it, just before something changes. */
export type Before = (detail: string) => Promise<Failed | null>

/** Commits all files of a work tree that are not ignored. No hook, filter or signing program runs. */
export async function commitAll(input: {
  root: string
  message: string
  author: Author
  scratch: string
  before: Before
}): Promise<Result<{ commit: string; branch: string; files: number }>> {
  const opened = await openSessionRepo(input.root)
  if (!opened.ok) return opened
  const at = opened.value
  const { repo, top, gitDir } = at
  if (at.inside !== '') return fail(notTop(at))
  const busy = await inProgress(gitDir)
  if (busy !== null) return fail(inTheMiddle(busy))
  const head = await headOf(at)
  if (!head.ok) return head
  const { branch, commit: parent } = head.value
  if (branch === null) return fail(noBranch)
  const others = (await listWorktrees(repo.git)).filter((entry) => entry.branch === branch && entry.path !== top)
  if (others.length > 0) return fail(elsewhere(branch))
  const { commonDir } = repo.layout
  await using scratch = await openScratch(input.scratch, commonDir)
  const tree = await snapshot(at, scratch, { from: parent, keep: true })
  if (!tree.ok) return tree
  const git = repo.with({
    write: [commonDir],
    env: { ...identity(input.author), GIT_DIR: gitDir },
    input: input.message,
    timeMs: longestGit,
  })
  const before = await git('rev-parse', `${parent}^{tree}`)
  if (before.stdout.trim() === tree.value) return fail(nothingToCommit)
  const listed = await git('diff-tree', '-r', '--name-only', '-z', parent, tree.value)
  const made = await git('commit-tree', tree.value, '-p', parent, '-F', '-')
  if (made.code !== 0) return gitFailed('Nothing was committed', made.stderr)
  const commit = made.stdout.trim()
  const refused = await input.before(`${commit.slice(0, 10)} on ${branch}`)
  if (refused) return refused
  // The index first: a crash in between leaves all changes staged, and nothing lost.
  const inTree = repo.with({
    cwd: top,
    workTree: { gitDir, path: top },
    read: [top],
    write: [commonDir],
    timeMs: longestGit,
  })
  const staged = await inTree('read-tree', '--reset', tree.value)
  if (staged.code !== 0) return gitFailed('Nothing was committed', staged.stderr)
  const moved = await git('update-ref', '-m', 'commit (Signalbox)', `refs/heads/${branch}`, commit, parent)
  if (moved.code !== 0) return fail(movedMeanwhile(branch))
  // Only for speed: Git would read every file again.
  await inTree('update-index', '-q', '--refresh')
  return ok({ commit, branch, files: listed.stdout.split('\0').length - 1 })
}

export const identity = ({ name, email }: Author): Record<string, string> => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
})

const notTop = ({ top }: SessionRepo) => ({
  kind: 'invalid' as const,
  code: 'not_repo_top',
  message: `The workspace is a part of the repository ${top}, so Signalbox does not commit there.`,
  hint: 'Commit it yourself, or have the agent commit it.',
})

export const inTheMiddle = (what: string) => ({
  kind: 'conflict' as const,
  code: 'git_in_progress',
  message: `A ${what} is in progress there.`,
  hint: 'Finish or abort it first.',
})

export const noBranch = {
  kind: 'conflict' as const,
  code: 'no_branch',
  message: 'No branch is checked out there.',
  hint: 'Have the agent check out its branch again.',
}

const elsewhere = (branch: string) => ({
  kind: 'conflict' as const,
  code: 'branch_in_use',
  message: `The branch ${branch} is checked out in another directory too.`,
})

const nothingToCommit = {
  kind: 'conflict' as const,
  code: 'nothing_to_commit',
  message: 'Nothing to commit: all changes are committed already.',
}

export const movedMeanwhile = (branch: string) => ({
  kind: 'conflict' as const,
  code: 'branch_moved',
  message: `The branch ${branch} changed meanwhile. Nothing was changed.`,
  hint: 'Try again.',
})
