import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { newRandomId } from '../../../lib/id.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { filesBetween } from './change.ts'
import { inTheMiddle, movedMeanwhile, type Before } from './commit.ts'
import { commitOf, gitFailed, inProgress, longestGit, openSessionRepo, type SessionRepo } from './session-repo.ts'
import { openScratch, snapshot } from './snapshot.ts'

const Move = z.object({
  /** Any directory of the repo. */
  repo: z.string(),
  refs: z.array(z.object({ branch: z.string(), old: z.string(), next: z.string() })).min(1),
  /** Work trees in which one of these branches is checked out. */
  trees: z.array(z.object({ path: z.string(), old: z.string(), next: z.string() })),
})
export type Move = z.infer<typeof Move>

/**
 * Moves branches, and the files of the work trees that have them checked out. All branches move at once, and only from
 * where they were. It is noted on disk first, so that a server that was killed in between finishes it.
 */
export async function moveBranches(
  move: Move,
  deps: { scratch: string; before: Before; detail: string },
): Promise<Result<void>> {
  const opened = await openSessionRepo(move.repo)
  if (!opened.ok) return opened
  const { repo } = opened.value
  const trees: { at: SessionRepo; old: string; next: string }[] = []
  for (const { path, old, next } of move.trees) {
    const at = await openSessionRepo(path)
    if (!at.ok) return at
    const unclean = await whyNotClean(at.value, old, deps.scratch)
    if (unclean) return unclean
    const tried = await update(at.value, ['-m', '-u', '-n', old, next])
    if (tried.code !== 0) return overwrites(path, tried.stderr)
    trees.push({ at: at.value, old, next })
  }
  const refused = await deps.before(deps.detail)
  if (refused) return refused
  const note = await writeNote(deps.scratch, move)
  const git = repo.with({ write: [repo.layout.commonDir], input: refLines(move.refs) })
  const moved = await git('update-ref', '-m', 'merge (Signalbox)', '--stdin')
  if (moved.code !== 0) {
    await rm(note, { force: true })
    return fail(movedMeanwhile(move.refs[0]?.branch ?? ''))
  }
  const done: typeof trees = []
  let failed: Failed | null = null
  for (const tree of trees) {
    const updated = await update(tree.at, ['-m', '-u', tree.old, tree.next])
    if (updated.code === 0) done.push(tree)
    // Somebody changed a file at this moment.
    else failed ??= overwrites(tree.at.top, updated.stderr)
  }
  if (failed) {
    for (const { at, old, next } of done) await update(at, ['-m', '-u', next, old])
    const back = move.refs.map(({ branch, old, next }) => ({ branch, old: next, next: old }))
    const undoing = repo.with({ write: [repo.layout.commonDir], input: refLines(back) })
    await undoing('update-ref', '-m', 'merge undone (Signalbox)', '--stdin')
  }
  await rm(note, { force: true })
  return failed ?? ok(undefined)
}

const refLines = (refs: Move['refs']): string =>
  refs.map(({ branch, old, next }) => `update refs/heads/${branch} ${next} ${old}\n`).join('')

/** Finishes what a server that was killed had begun. */
export async function finishMoves(scratch: string): Promise<string[]> {
  const finished: string[] = []
  const names = await readdir(scratch).catch(() => [])
  for (const name of names) {
    const path = join(scratch, name)
    if (name.startsWith('work-')) await rm(path, { recursive: true, force: true })
    if (!name.endsWith('.json')) continue
    const move = jsonOrNull(await readFile(path, 'utf8').catch(() => ''), Move)
    if (move !== null && (await finish(move, scratch, (await stat(path)).mtimeMs))) finished.push(move.repo)
    await rm(path, { force: true })
  }
  return finished
}

async function finish(move: Move, scratch: string, began: number): Promise<boolean> {
  const opened = await openSessionRepo(move.repo)
  if (!opened.ok) return false
  const { repo } = opened.value
  for (const { branch, next } of move.refs)
    if ((await commitOf(repo.git, `refs/heads/${branch}`)) !== next) return false
  for (const { path, old, next } of move.trees) {
    const at = await openSessionRepo(path)
    if (!at.ok) continue
    await dropLeftLock(at.value.gitDir, began)
    // A file that is neither the old nor the new one belongs to somebody, so Git leaves that work tree alone.
    if (await isBetween(at.value, old, next, scratch)) await update(at.value, ['--reset', '-u', next])
  }
  return true
}

/** Whether each file is either as it was before or as it will be. */
async function isBetween(at: SessionRepo, old: string, next: string, scratch: string): Promise<boolean> {
  const { commonDir } = at.repo.layout
  await using place = await openScratch(scratch, commonDir)
  const now = await snapshot(at, place, { from: old })
  if (!now.ok) return false
  const git = at.repo.with({ read: [place.path], env: { ...place.env, GIT_INDEX_FILE: join(place.path, 'none') } })
  const [changed, differs, moves] = await Promise.all([
    filesBetween(git, old, now.value),
    filesBetween(git, now.value, next),
    filesBetween(git, old, next),
  ])
  if (!changed.ok || !differs.ok || !moves.ok) return false
  const names = (files: typeof changed.value) =>
    new Set(files.flatMap(({ path, from }) => [path, ...(from === null ? [] : [from])]))
  const [unlikeNext, moving] = [names(differs.value), names(moves.value)]
  return [...names(changed.value)].every((path) => !unlikeNext.has(path) || !moving.has(path))
}

/** A Git that was killed with us leaves its lock. */
async function dropLeftLock(gitDir: string, began: number): Promise<void> {
  const lock = join(gitDir, 'index.lock')
  const found = await stat(lock).catch(() => null)
  if (found !== null && found.mtimeMs >= began - 1000) await rm(lock, { force: true })
}

const update = (at: SessionRepo, words: readonly string[]) =>
  at.repo.with({
    cwd: at.top,
    workTree: { gitDir: at.gitDir, path: at.top },
    write: [at.top, at.repo.layout.commonDir],
    timeMs: longestGit,
  })('read-tree', ...words)

/** Null if a work tree has nothing of its own in the files that Git tracks. */
export async function whyNotClean(at: SessionRepo, commit: string, scratch: string): Promise<Failed | null> {
  const busy = await inProgress(at.gitDir)
  if (busy !== null) return fail(inTheMiddle(busy))
  const { commonDir } = at.repo.layout
  const git = at.repo.with({
    cwd: at.top,
    read: [at.top, at.gitDir],
    workTree: { gitDir: at.gitDir, path: at.top },
    timeMs: longestGit,
  })
  const staged = await git('diff-index', '--cached', '--quiet', commit, '--')
  if (staged.code > 1) return gitFailed("The files there can't be compared", staged.stderr)
  await using place = await openScratch(scratch, commonDir)
  const now = await snapshot(at, place, { from: commit, tracked: true })
  if (!now.ok) return now
  const before = await at.repo.git('rev-parse', `${commit}^{tree}`)
  return staged.code === 0 && before.stdout.trim() === now.value ? null : uncommitted(at.top)
}

const uncommitted = (path: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'uncommitted_changes',
    message: `${path} has uncommitted changes. Nothing was changed.`,
    hint: 'Commit or stash them first.',
  })

const overwrites = (path: string, stderr: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'would_overwrite',
    message: `Files in ${path} would be overwritten: ${stderr.trim().split('\n').at(-1) ?? ''}`,
    hint: 'Move or commit them first. Nothing was changed.',
  })

async function writeNote(directory: string, move: Move): Promise<string> {
  const path = join(directory, `${newRandomId<string>()}.json`)
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(JSON.stringify(move))
  await file.sync()
  return path
}
