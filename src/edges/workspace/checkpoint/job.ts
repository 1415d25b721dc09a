import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { bestHold } from '../held-directory.ts'
import { isInside } from '../inside.ts'
import { emptyCache, readCache, writeCache, type FileCache } from './file-cache.ts'
import { createGitSink, type GitFile } from './git-sink.ts'
import { ignoredByGit, type Ignored } from './ignored.ts'
import { createPackSink, openPacks, type Packs } from './packs.ts'
import { ensurePrivateGit, GitFailed, refOf, type PrivateGit } from './private-git.ts'
import { scan, type SkippedFile, type Scanned } from './scan.ts'
import { noSink, type ContentSink } from './sink.ts'
import { differenceOf, openTree, type Difference } from './tree.ts'

export type CheckpointJob = {
  /** Real path of the workspace. */
  root: string
  /** Which directory it is, if that is known. */
  identity?: string | null
  /** Where checkpoints of this workspace are stored. */
  directory: string
  skip: readonly string[]
} & ({ kind: 'take'; checkpointId: string; also: string | null } | { kind: 'compare'; tree: string })

export type TakenCheckpoint = {
  kind: 'take'
  tree: string
  restorePoint: string
  fileCount: number
  notKept: SkippedFile[]
  /** Why it is not stored in Git although the workspace is a repo. */
  notInGit: string | null
}
export type ComparedCheckpoint = { kind: 'compare'; difference: Difference }

const treesIn = (directory: string): Packs => openPacks(join(directory, 'trees'))
export const contentsIn = (directory: string): Packs => openPacks(join(directory, 'contents'))

/** Scans a whole workspace; runs in a worker thread, because it uses synchronous file access. */
export function runJob(job: CheckpointJob): Promise<TakenCheckpoint | ComparedCheckpoint> {
  return job.kind === 'take' ? take(job) : compare(job)
}

type TakeJob = Extract<CheckpointJob, { kind: 'take' }>

async function take(job: TakeJob): Promise<TakenCheckpoint> {
  const ignored = await ignoredByGit(job.root, hiddenOf(job))
  if (ignored === null) return takeInPacks(job, { ignored, notInGit: null })
  try {
    return await takeInGit(job, { ignored, cache: readCache(job.directory) })
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
  }
  try {
    // The cache may name blobs that are no longer in Git.
    return await takeInGit(job, { ignored, cache: emptyCache })
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    return takeInPacks(job, { ignored, notInGit: error.message })
  }
}

async function takeInGit(job: TakeJob, given: { ignored: Ignored; cache: FileCache }): Promise<TakenCheckpoint> {
  const { directory, checkpointId } = job
  const { cache, ignored } = given
  const git = await ensurePrivateGit(directory)
  const sink = createGitSink(git)
  try {
    const trees = treesIn(directory)
    const scanned = await scanWorkspace(job, { cache, ignored, sink, trees })
    keepDirectories(trees, scanned)
    const { tree } = scanned
    const isLast = cache.last?.tree === tree && (await nameAgain(git, checkpointId, cache.last.commit))
    const commit =
      isLast && cache.last
        ? cache.last.commit
        : await sink.commit({ checkpointId, at: Date.now(), ...sinceLast(cache, trees, scanned) })
    writeCache(directory, { last: { tree, commit }, files: scanned.files })
    if (!isLast) await tidy(git, directory)
    return taken(scanned, `git:${commit}`, null)
  } finally {
    await sink.abandon()
  }
}

/** The changes for Git: all files, or those that differ from the last commit. */
function sinceLast({ last }: FileCache, trees: Packs, { leaves, tree }: Scanned) {
  if (last === null || !trees.has(last.tree)) return { from: null, removed: [], set: leaves.map(gitFile) }
  const { modified, deleted, added } = differenceOf(trees, last.tree, tree)
  const changed = new Set([...modified, ...added].map(({ path }) => path))
  return {
    from: last.commit,
    removed: deleted.map(({ path }) => path),
    set: leaves.filter(({ path }) => changed.has(path)).map(gitFile),
  }
}

/** Gives the last commit another name, if nothing has changed since. */
const nameAgain = (git: PrivateGit, checkpointId: string, commit: string): Promise<boolean> =>
  git.run('update-ref', refOf(checkpointId), commit).then(
    () => true,
    () => false,
  )

const mostPacks = 20

/** Keeps the number of packs small. If this Git can't, checkpoints only get slower over the years. */
async function tidy(git: PrivateGit, directory: string): Promise<void> {
  const packs = await readdir(join(directory, 'git', 'objects', 'pack'))
  if (packs.filter((name) => name.endsWith('.pack')).length <= mostPacks) return
  await git.run('repack', '--geometric=2', '-d', '-q', '--no-write-bitmap-index').catch(() => undefined)
}

const gitFile = ({ path, leaf, blob }: Scanned['leaves'][number]): GitFile => ({
  path,
  blob,
  mode: leaf.kind === 'link' ? '120000' : (leaf.mode & 0o100) === 0 ? '100644' : '100755',
})

async function takeInPacks(
  job: TakeJob,
  { ignored, notInGit }: { ignored: Ignored | null; notInGit: string | null },
): Promise<TakenCheckpoint> {
  const cache = readCache(job.directory)
  const [trees, contents] = [treesIn(job.directory), contentsIn(job.directory)]
  const writer = contents.add()
  try {
    const scanned = await scanWorkspace(job, { cache, ignored, sink: createPackSink(contents, writer), trees })
    writer.finish()
    keepDirectories(trees, scanned)
    writeCache(job.directory, { last: cache.last, files: scanned.files })
    return taken(scanned, 'packs', notInGit)
  } catch (error) {
    writer.abandon()
    throw error
  }
}

async function compare(job: Extract<CheckpointJob, { kind: 'compare' }>): Promise<ComparedCheckpoint> {
  const cache = readCache(job.directory)
  const trees = treesIn(job.directory)
  const scanned = await scanWorkspace(job, {
    cache,
    ignored: await ignoredByGit(job.root, hiddenOf(job)),
    sink: noSink,
    trees,
  })
  writeCache(job.directory, { last: cache.last, files: scanned.files })
  const objects = { read: (hash: string) => scanned.directories.get(hash) ?? trees.read(hash) }
  return { kind: 'compare', difference: differenceOf(objects, job.tree, scanned.tree) }
}

/** Our own data, if it is in the workspace. */
const hiddenOf = ({ root, skip }: CheckpointJob): string[] => skip.filter((path) => isInside(root, path))

function scanWorkspace(
  job: CheckpointJob,
  parts: { cache: FileCache; ignored: Ignored | null; sink: ContentSink; trees: Packs },
): Promise<Scanned> {
  const tree = job.kind === 'take' ? job.also : job.tree
  const entryAt = tree === null ? () => null : openTree(parts.trees, tree)
  return scan({
    root: job.root,
    identity: job.identity ?? null,
    skip: job.skip,
    hold: bestHold(),
    ignored: parts.ignored,
    cache: parts.cache,
    sink: parts.sink,
    isKnown: (hash) => parts.trees.has(hash),
    isWanted: (path) => entryAt(path) !== null,
    now: Date.now,
  })
}

function keepDirectories(trees: Packs, { directories }: Scanned): void {
  const writer = trees.add()
  for (const [hash, text] of directories) writer.put(hash, Buffer.from(text))
  writer.finish()
}

const taken = ({ tree, leaves, notKept }: Scanned, restorePoint: string, notInGit: string | null): TakenCheckpoint => ({
  kind: 'take',
  tree,
  restorePoint,
  fileCount: leaves.length,
  notKept,
  notInGit,
})
