import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { bestHold } from '../held-directory.ts'
import { isInside } from '../inside.ts'
import { emptyCache } from './file-cache.ts'
import { createGitSink, type GitFile, type GitSink } from './git-sink.ts'
import { ignoredByGit, type Ignored } from './ignored.ts'
import { createPackSink, openPacks, type Packs } from './packs.ts'
import { ensurePrivateGit, GitFailed, refOf, type PrivateGit } from './private-git.ts'
import { scan, type SkippedFile, type Scanned, type UnchangedDirectory } from './scan.ts'
import { noSink, type ContentSink } from './sink.ts'
import { differenceOf, openTree, type Difference } from './tree.ts'
import { pageOfTree, type TreePage } from './tree-page.ts'
import { addIgnoredElsewhere, changedDirectories } from './unchanged.ts'
import { readState, writeState, type WorkspaceState } from './workspace-state.ts'

export type CheckpointJob = {
  /** Real path of the workspace. */
  root: string
  /** Which directory it is, if that is known. */
  identity?: string | null
  /** Where checkpoints of this workspace are stored. */
  directory: string
  skip: readonly string[]
} & (
  | { kind: 'take'; checkpointId: string; also: string | null }
  | { kind: 'compare'; tree: string }
  | { kind: 'list'; tree: string; after: string | null; limit: number }
)

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
export type ListedCheckpoint = { kind: 'list'; page: TreePage }
export type JobDone = TakenCheckpoint | ComparedCheckpoint | ListedCheckpoint

const treesIn = (directory: string): Packs => openPacks(join(directory, 'trees'))
export const contentsIn = (directory: string): Packs => openPacks(join(directory, 'contents'))

/** Scans a whole workspace, or reads a tree; runs in a worker thread, because it uses synchronous file access. */
export function runJob(job: CheckpointJob, now = Date.now): Promise<JobDone> {
  if (job.kind === 'list') return Promise.resolve(list(job))
  return job.kind === 'take' ? take(job, now) : compare(job, now)
}

const list = ({ directory, tree, after, limit }: Extract<CheckpointJob, { kind: 'list' }>): ListedCheckpoint => ({
  kind: 'list',
  page: pageOfTree(treesIn(directory), tree, { after, limit }),
})

type Now = () => number

type TakeJob = Extract<CheckpointJob, { kind: 'take' }>

async function take(job: TakeJob, now: Now): Promise<TakenCheckpoint> {
  const early = gitOf(job.directory)
  try {
    const known = await lookAt(job, early.prepare)
    if (known.ignored === null) return await takeInPacks(job, { known, now }, null)
    return await takeFromGit(job, { known: { ...known, ignored: known.ignored }, now }, early)
  } finally {
    await early.abandon()
  }
}

async function takeFromGit(
  job: TakeJob,
  { known, now }: { known: Known & { ignored: Ignored }; now: Now },
  early: StartedGit,
): Promise<TakenCheckpoint> {
  const { ignored } = known
  try {
    return await takeInGit(job, { known, now }, early)
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
  }
  try {
    // The state may name blobs that are no longer in Git.
    return await takeInGit(job, { known: { ignored, state: null, changed: null }, now }, gitOf(job.directory))
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    return takeInPacks(job, { known, now }, error.message)
  }
}

/** What is known before anything is read. */
type Known = {
  ignored: Ignored | null
  state: WorkspaceState | null
  /** The directories that may differ from the state; null if all must be read. */
  changed: ReadonlySet<string> | null
}

type ScanJob = Exclude<CheckpointJob, { kind: 'list' }>

/** Git lists what is ignored while this thread looks for changes. */
async function lookAt(job: ScanJob, isChanged = () => {}): Promise<Known> {
  const state = readState(job.directory)
  const isComparable = state !== null && state.ignored !== null && isOf(state, job)
  const [ignored, changed] = await Promise.all([
    ignoredByGit(job.root, hiddenOf(job)),
    isComparable ? changedDirectories(job.root, state, isChanged) : null,
  ])
  if (ignored === null || changed === null || !state?.ignored) return { ignored, state, changed: null }
  addIgnoredElsewhere(changed, state.ignored, ignored.paths)
  return { ignored, state, changed }
}

/** Whether the job keeps the same of an unchanged workspace as the checkpoint that left this state. */
function isOf(state: WorkspaceState, job: ScanJob): boolean {
  const tree = job.kind === 'take' ? job.also : job.tree
  const isSameTree = (tree === null && job.kind === 'take') || tree === state.last?.tree
  return isSameTree && state.skip.join('\0') === job.skip.join('\0')
}

async function takeInGit(
  job: TakeJob,
  { known, now }: { known: Known & { ignored: Ignored }; now: Now },
  started: StartedGit,
): Promise<TakenCheckpoint> {
  const { directory, checkpointId } = job
  const { ignored, state } = known
  const last = state?.last ?? null
  const { git, sink } = await started.get()
  try {
    if (known.changed === null || known.changed.size > 0) sink.prepare()
    const trees = treesIn(directory)
    const scanned = await scanWorkspace(job, { known, sink, trees, now })
    keepDirectories(trees, scanned)
    const { tree } = scanned
    const isLast = last?.tree === tree && (await nameAgain(git, checkpointId, last.commit))
    const commit =
      isLast && last
        ? last.commit
        : await sink.commit({ checkpointId, at: Date.now(), ...sinceLast(last, trees, scanned) })
    // Files that are kept although they are ignored may be left out next time.
    const isExact = job.also === null
    writeState(directory, {
      ...scanned,
      last: { tree, commit },
      ignored: isExact ? [...ignored.paths] : null,
      skip: job.skip,
      before: state,
    })
    if (!isLast) await tidy(git, directory)
    return taken(scanned, `git:${commit}`, null)
  } finally {
    await sink.abandon()
  }
}

type StartedGit = {
  get(): Promise<{ git: PrivateGit; sink: GitSink }>
  /** Starts Git while this thread is still looking for changes. */
  prepare(): void
  abandon(): Promise<void>
}

function gitOf(directory: string): StartedGit {
  let opened: ReturnType<StartedGit['get']> | undefined
  async function open() {
    const git = await ensurePrivateGit(directory)
    return { git, sink: createGitSink(git) }
  }
  const get = () => (opened ??= open())
  const unopened = () => undefined
  return {
    get,
    // Whoever gets it learns of a failure.
    prepare: () => void get().then(({ sink }) => sink.prepare(), unopened),
    abandon: async () => (await opened?.catch(unopened))?.sink.abandon(),
  }
}

/** The changes for Git: all files, or those that differ from the last commit. */
function sinceLast(last: WorkspaceState['last'], trees: Packs, { leaves, tree }: Scanned) {
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
  given: { known: Known; now: Now },
  notInGit: string | null,
): Promise<TakenCheckpoint> {
  const known = { ...given.known, changed: null }
  const [trees, contents] = [treesIn(job.directory), contentsIn(job.directory)]
  const writer = contents.add()
  try {
    const scanned = await scanWorkspace(job, { known, sink: createPackSink(contents, writer), trees, now: given.now })
    writer.finish()
    keepDirectories(trees, scanned)
    const { state } = known
    writeState(job.directory, { ...scanned, last: state?.last ?? null, ignored: null, skip: job.skip, before: state })
    return taken(scanned, 'packs', notInGit)
  } catch (error) {
    writer.abandon()
    throw error
  }
}

async function compare(job: Extract<CheckpointJob, { kind: 'compare' }>, now: Now): Promise<ComparedCheckpoint> {
  const trees = treesIn(job.directory)
  const scanned = await scanWorkspace(job, { known: await lookAt(job), sink: noSink, trees, now })
  const objects = { read: (hash: string) => scanned.directories.get(hash) ?? trees.read(hash) }
  return { kind: 'compare', difference: differenceOf(objects, job.tree, scanned.tree) }
}

/** Our own data, if it is in the workspace. */
const hiddenOf = ({ root, skip }: CheckpointJob): string[] => skip.filter((path) => isInside(root, path))

function scanWorkspace(
  job: ScanJob,
  { known, sink, trees, now }: { known: Known; sink: ContentSink; trees: Packs; now: Now },
): Promise<Scanned> {
  const tree = job.kind === 'take' ? job.also : job.tree
  const entryAt = tree === null ? () => null : openTree(trees, tree)
  const isKnown = (hash: string) => trees.has(hash)
  return scan({
    root: job.root,
    identity: job.identity ?? null,
    skip: job.skip,
    hold: bestHold(),
    ignored: known.ignored,
    cache: known.state ?? emptyCache,
    sink,
    isKnown,
    unchanged: unchangedIn(known, isKnown),
    isWanted: (path) => entryAt(path) !== null,
    now,
  })
}

/** Finds directories that are as the state says, with everything in them. */
function unchangedIn(
  { state, changed }: Known,
  isKnown: (hash: string) => boolean,
): (path: string) => UnchangedDirectory | null {
  if (state === null || changed === null) return () => null
  const children = new Map<string, string[]>()
  for (const path of state.directories.keys()) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const siblings = children.get(parent)
    if (siblings) siblings.push(path)
    else children.set(parent, [path])
  }
  return (path) => {
    if (changed.has(path)) return null
    const paths: string[] = []
    let fileCount = 0
    for (const waiting = [path]; waiting.length > 0;) {
      const at = waiting.pop() ?? ''
      const seen = state.directories.get(at)
      if (seen === undefined || (seen.hash !== null && !isKnown(seen.hash))) return null
      paths.push(at)
      fileCount += seen.count
      waiting.push(...(children.get(at) ?? []))
    }
    return { hash: state.directories.get(path)?.hash ?? null, fileCount, paths }
  }
}

function keepDirectories(trees: Packs, { directories }: Scanned): void {
  const writer = trees.add()
  for (const [hash, text] of directories) writer.put(hash, Buffer.from(text))
  writer.finish()
}

const taken = (
  { tree, fileCount, notKept }: Scanned,
  restorePoint: string,
  notInGit: string | null,
): TakenCheckpoint => ({
  kind: 'take',
  tree,
  restorePoint,
  fileCount,
  notKept,
  notInGit,
})
