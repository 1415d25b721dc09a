import { fail, ok, type Result } from '../../../lib/result.ts'
import type { Git } from '../git/git.ts'
import { identity, type Author } from './commit.ts'
import { gitFailed, isAncestor } from './session-repo.ts'

export type Conflict = {
  path: string
  /** The file with conflict markers; null if it is too long, or has no text. */
  text: string | null
}

/** The commit that the branch would lead to, or why that needs a person. Changes no branch and no file. */
export type Combined =
  | { kind: 'done'; commit: string; fastForward: boolean }
  | { kind: 'conflict'; conflicts: Conflict[]; at: string | null }

type Input = {
  /** Runs in the repo, and may add objects; with other variables too. */
  git: (env?: Readonly<Record<string, string>>) => Git
  /** The tip of the branch that gets the work. */
  onto: string
  /** The tip of the session's branch. */
  tip: string
  author: Author
}

/** A merge; a fast-forward where that is enough. */
export async function mergeOf(input: Input & { message: string }): Promise<Result<Combined>> {
  const { onto, tip } = input
  const git = input.git(identity(input.author))
  if (await isAncestor(git, onto, tip)) return ok({ kind: 'done', commit: tip, fastForward: true })
  const merged = await mergeTrees(git, onto, tip)
  if (!merged.ok) return merged
  if (merged.value.conflicts.length > 0) return ok({ kind: 'conflict', conflicts: merged.value.conflicts, at: null })
  const made = await git('commit-tree', merged.value.tree, '-p', onto, '-p', tip, '-m', input.message)
  return made.code === 0
    ? ok({ kind: 'done', commit: made.stdout.trim(), fastForward: false })
    : gitFailed('Nothing was merged', made.stderr)
}

const mostReplayed = 500

/** The commits of the session's branch again, on top of the other branch, each with its own author and message. */
export async function rebaseOf(input: Input): Promise<Result<Combined>> {
  const { onto, tip } = input
  const git = input.git(identity(input.author))
  if (await isAncestor(git, onto, tip)) return ok({ kind: 'done', commit: tip, fastForward: true })
  const listed = await git('rev-list', '--reverse', '--topo-order', '--parents', `${onto}..${tip}`, '--')
  if (listed.code !== 0) return gitFailed('Nothing was rebased', listed.stderr)
  const commits = listed.stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
  if (commits.length > mostReplayed || commits.some((ids) => ids.length !== 2)) return fail(notLinear)
  let at = onto
  for (const [commit = '', parent = ''] of commits) {
    // Git finds the base of a merge in the history, so these three commits make one in which it is the old parent.
    const base = await wrapped(git, parent, null)
    const ours = await wrapped(git, at, base)
    const theirs = await wrapped(git, commit, base)
    if (base === null || ours === null || theirs === null)
      return gitFailed('Nothing was rebased', 'a commit is missing')
    const merged = await mergeTrees(git, ours, theirs)
    if (!merged.ok) return merged
    if (merged.value.conflicts.length > 0)
      return ok({ kind: 'conflict', conflicts: merged.value.conflicts, at: commit })
    const now = await git('rev-parse', `${at}^{tree}`)
    // The other branch has this change already.
    if (now.stdout.trim() === merged.value.tree) continue
    const again = await recommit(input, commit, merged.value.tree, at)
    if (!again.ok) return again
    at = again.value
  }
  return ok({ kind: 'done', commit: at, fastForward: false })
}

async function wrapped(git: Git, commit: string, parent: string | null): Promise<string | null> {
  const made = await git('commit-tree', `${commit}^{tree}`, ...(parent === null ? [] : ['-p', parent]), '-m', 'base')
  return made.code === 0 ? made.stdout.trim() : null
}

async function recommit({ git, author }: Input, commit: string, tree: string, parent: string): Promise<Result<string>> {
  const told = await git()('log', '-1', '--no-show-signature', '--format=%an%x00%ae%x00%aI%x00%B', commit, '--')
  const [name = '', email = '', date = '', message = ''] = told.stdout.split('\0')
  const env = {
    ...identity(author),
    GIT_AUTHOR_NAME: name || author.name,
    GIT_AUTHOR_EMAIL: email || author.email,
    GIT_AUTHOR_DATE: date,
  }
  const made = await git(env)('commit-tree', tree, '-p', parent, '-m', message.trimEnd() || 'No message')
  return made.code === 0 ? ok(made.stdout.trim()) : gitFailed('Nothing was rebased', made.stderr)
}

const mostShown = 20
const mostText = 50_000

async function mergeTrees(
  git: Git,
  ours: string,
  theirs: string,
): Promise<Result<{ tree: string; conflicts: Conflict[] }>> {
  const { code, stdout, stderr } = await git('merge-tree', '--write-tree', '--name-only', '-z', ours, theirs)
  if (code > 1 || stdout === '')
    return /usage|unknown/i.test(stderr) ? fail(gitTooOld) : gitFailed('The branches could not be merged', stderr)
  const [tree = '', ...rest] = stdout.split('\0')
  if (code === 0) return ok({ tree, conflicts: [] })
  const end = rest.indexOf('')
  const paths = [...new Set(rest.slice(0, end < 0 ? rest.length : end))]
  const conflicts = await Promise.all(
    paths.slice(0, 1000).map(async (path, index): Promise<Conflict> => {
      if (index >= mostShown) return { path, text: null }
      const file = await git('cat-file', 'blob', `${tree}:${path}`)
      const isText = file.code === 0 && file.stdout.length <= mostText && !file.stdout.includes('\0')
      return { path, text: isText ? file.stdout : null }
    }),
  )
  return ok({ tree, conflicts })
}

const gitTooOld = {
  kind: 'unavailable' as const,
  code: 'git_too_old',
  message: 'The Git of the server is too old to merge without a work tree. It needs version 2.38.',
}

const notLinear = {
  kind: 'conflict' as const,
  code: 'not_linear',
  message: 'The branch has merges, or too many commits, so it is not rebased.',
  hint: 'Merge it instead.',
}
