import { join } from 'node:path'
import { stat } from 'node:fs/promises'
import { ok, type Result } from '../../../lib/result.ts'
import type { Git } from '../git/git.ts'
import { commitOf, gitFailed, headOf, isAncestor, longestGit, openSessionRepo } from './session-repo.ts'
import { openScratch, snapshot } from './snapshot.ts'

export type ChangedFile = {
  path: string
  change: 'added' | 'modified' | 'deleted' | 'renamed'
  from: string | null
  added: number
  removed: number
  binary: boolean
}

export type GitChange = {
  base: string
  head: string
  branch: string | null
  into: string | null
  commits: { id: string; subject: string; at: string }[]
  uncommitted: number
  merged: boolean
  files: ChangedFile[]
  diff: string
  truncated: boolean
}

/** Where a session began, as far as it is known. */
export type Origin = { readonly branch: string | null; readonly commit: string } | null

const mostDiff = 8 * 1024 * 1024
const mostFiles = 2000
const mostCommits = 200

/** Everything that a session changed since it began: commits, uncommitted changes and new files. */
export async function changeOf(input: {
  root: string
  origin: Origin
  startedAt: string
  scratch: string
}): Promise<Result<GitChange>> {
  const opened = await openSessionRepo(input.root)
  if (!opened.ok) return opened
  const at = opened.value
  const head = await headOf(at)
  if (!head.ok) return head
  const { commonDir } = at.repo.layout
  await using scratch = await openScratch(input.scratch, commonDir)
  const tree = await snapshot(at, scratch, { from: head.value.commit })
  if (!tree.ok) return tree
  // No work tree, and no index with files: attributes of the workspace can't hide a change.
  const attributes = join(commonDir, 'info', 'attributes')
  const git = at.repo.with({
    read: [scratch.path, at.gitDir],
    emptied: (await isFile(attributes)) ? [attributes] : [],
    env: { ...scratch.env, GIT_INDEX_FILE: join(scratch.path, 'none'), GIT_DIR: at.gitDir, GIT_LITERAL_PATHSPECS: '1' },
    timeMs: longestGit,
  })
  const { base, merged } = await baseOf(git, head.value.commit, input)
  const within = at.inside === '' ? [] : ['--', at.inside]
  const files = await filesBetween(git, base, tree.value, within)
  if (!files.ok) return files
  const loose = await filesBetween(git, head.value.commit, tree.value, within)
  if (!loose.ok) return loose
  const patch = await git('diff-tree', ...patchWords, base, tree.value, ...within)
  const isLong = patch.code !== 0 && patch.stderr.includes('too much output')
  if (patch.code !== 0 && !isLong) return gitFailed("The change can't be shown", patch.stderr)
  const { diff, truncated } = cut(isLong ? '' : patch.stdout)
  return ok({
    base,
    head: head.value.commit,
    branch: head.value.branch,
    into: input.origin?.branch ?? null,
    commits: await commitsBetween(git, base, head.value.commit),
    uncommitted: loose.value.length,
    merged,
    files: files.value.slice(0, mostFiles),
    diff,
    truncated: truncated || isLong || files.value.length > mostFiles,
  })
}

const patchWords = ['-r', '-p', '-M', '--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none']

/** What the change is compared with: where the branch left the other one; else the commit at the session's start. */
async function baseOf(
  git: Git,
  head: string,
  { origin, startedAt }: { origin: Origin; startedAt: string },
): Promise<{ base: string; merged: boolean }> {
  if (origin === null) {
    // Git's log of a branch knows whole seconds: rather one commit too many than one that is not shown.
    const before = new Date(Date.parse(startedAt) - 1000).toISOString()
    const then = await git('rev-parse', '--verify', '--quiet', `HEAD@{${before}}`)
    const id = /^[0-9a-f]{40,64}$/m.exec(then.stdout)?.[0]
    return { base: (id !== undefined && (await commitOf(git, id))) || head, merged: false }
  }
  const into = origin.branch === null ? null : await commitOf(git, `refs/heads/${origin.branch}`)
  const start = (await commitOf(git, origin.commit)) ?? head
  if (into === null) return { base: start, merged: false }
  // Once it is merged, its own commits are still shown.
  if (head !== start && (await isAncestor(git, head, into))) return { base: start, merged: true }
  const shared = await git('merge-base', into, head)
  return { base: shared.code === 0 ? (shared.stdout.trim().split('\n')[0] ?? start) : start, merged: false }
}

async function commitsBetween(git: Git, base: string, head: string): Promise<GitChange['commits']> {
  const { stdout } = await git(
    'log',
    `--max-count=${mostCommits}`,
    '-z',
    '--no-show-signature',
    '--format=%H%x09%cI%x09%s',
    `${base}..${head}`,
    '--',
  )
  return stdout.split('\0').flatMap((line) => {
    const [id = '', at = '', ...subject] = line.trim().split('\t')
    return id === '' ? [] : [{ id, subject: subject.join('\t').slice(0, 500), at }]
  })
}

export async function filesBetween(
  git: Git,
  base: string,
  tree: string,
  within: readonly string[] = [],
): Promise<Result<ChangedFile[]>> {
  const how = ['-r', '-z', '-M', '--no-ext-diff', '--no-textconv']
  const [names, counts] = await Promise.all([
    git('diff-tree', ...how, '--name-status', base, tree, ...within),
    git('diff-tree', ...how, '--numstat', base, tree, ...within),
  ])
  if (names.code !== 0 || counts.code !== 0)
    return gitFailed("The changed files can't be listed", names.stderr || counts.stderr)
  const lines = countsOf(counts.stdout)
  const words = names.stdout.split('\0')
  const files: ChangedFile[] = []
  for (let at = 0; at + 1 < words.length;) {
    const status = words[at++] ?? ''
    const first = words[at++] ?? ''
    const isMoved = /^[RC]/.test(status)
    const path = isMoved ? (words[at++] ?? '') : first
    const change = isMoved ? 'renamed' : status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified'
    files.push({
      path,
      change,
      from: isMoved ? first : null,
      ...(lines.get(path) ?? { added: 0, removed: 0, binary: false }),
    })
  }
  return ok(files)
}

/** The lines of `--numstat -z`; a renamed file has an empty name, then both names. */
function countsOf(text: string): Map<string, { added: number; removed: number; binary: boolean }> {
  const words = text.split('\0')
  const found = new Map<string, { added: number; removed: number; binary: boolean }>()
  for (let at = 0; at < words.length; at += 1) {
    const [added = '', removed = '', name] = (words[at] ?? '').split(/\t(?=[\s\S])|\t$/)
    if (added === '') continue
    const binary = added === '-'
    let path = name ?? ''
    if (path === '') {
      path = words[at + 2] ?? ''
      at += 2
    }
    found.set(path, { added: Number(added) || 0, removed: Number(removed) || 0, binary })
  }
  return found
}

/** Cut between files. */
function cut(text: string): { diff: string; truncated: boolean } {
  if (text.length <= mostDiff) return { diff: text, truncated: false }
  const end = text.lastIndexOf('\ndiff --git ', mostDiff)
  return { diff: end < 0 ? '' : text.slice(0, end + 1), truncated: true }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

/** The message that is proposed for a commit: what the session was asked, and what changed. */
export function proposedMessage(prompt: string | null, files: readonly Pick<ChangedFile, 'path' | 'change'>[]): string {
  const first =
    prompt
      ?.split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  if (first !== '') return first.length > 72 ? `${first.slice(0, 71)}…` : first
  const [only] = files
  if (only === undefined) return 'Work of a session'
  const verb = { added: 'Add', modified: 'Change', deleted: 'Delete', renamed: 'Rename' }[only.change]
  return files.length === 1 ? `${verb} ${only.path}` : `Change ${files.length} files`
}
