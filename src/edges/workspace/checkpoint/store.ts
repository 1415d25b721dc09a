import { mkdir, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expectedOf, type DirectoryMark } from '../../../lib/directory-mark.ts'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import { bestHold, type Hold } from '../held-directory.ts'
import { errnoOf } from '../errno.ts'
import { refusedBySystem, replacedWorkspace, workspaceMissing } from '../faults.ts'
import { isInside } from '../inside.ts'
import { WorkspaceReplaced } from './held-directory-sync.ts'
import { runInThread, ThreadFailure } from './job-thread.ts'
import { ContentMissing } from './contents.ts'
import { GitFailed } from './private-git.ts'
import { openRestoreLog, readRestoreLog } from './restore-log.ts'
import { restoreFiles, undoRestore, type MadeFile, type RestoreResult } from './restore.ts'
import { mostFiles, type SkippedFile } from './scan.ts'
import type { Difference } from './tree.ts'
import type { TreePage } from './tree-page.ts'

export type Divergence = { modified: string[]; deleted: string[]; added: string[] }

export type CheckpointStore = {
  take(input: {
    checkpointId: string
    root: string
    mark?: DirectoryMark | null
    /** A tree whose files are kept even if they are ignored now. */
    also?: string
  }): Promise<Result<{ tree: string; restorePoint: string; fileCount: number; notKept: SkippedFile[] }>>
  /** How the workspace differs now. */
  compare(input: { root: string; mark?: DirectoryMark | null; tree: string }): Promise<Result<Divergence>>
  /** The files of a checkpoint after a path; its workspace may be gone. */
  list(input: { root: string; tree: string; after: string | null; limit: number }): Promise<Result<TreePage>>
  /** Of new files, only those in `removeNew` that still have their hash are deleted. */
  restore(input: {
    root: string
    mark?: DirectoryMark | null
    tree: string
    restorePoint: string
    removeNew: readonly MadeFile[]
    /** The checkpoint that is restored. If it was made before a restore, that is undone. */
    checkpointId: string
    /** The checkpoint of the state before. */
    before: string
  }): Promise<Result<RestoreResult>>
}

/** Where checkpoints of a workspace are stored. */
const directoryOf = (home: string, root: string): string => join(home, sha256(root).slice(0, 32))

export function createCheckpointStore(deps: {
  /** `checkpoints` in the data directory. */
  directory: string
  log: Logger
  hold?: Hold
  /** Called for a workspace that was replaced. */
  refused?(path: string): Promise<void>
}): CheckpointStore {
  const log = deps.log.child({ part: 'checkpoints' })
  /** Checkpoints of one workspace share a cache and a repo. */
  const queue = createKeyedQueue()

  type WorkspaceStore = { root: string; identity: string | null; directory: string; skip: readonly string[] }
  type WorkspaceInput = { root: string; mark?: DirectoryMark | null }

  async function at<T>(
    { root: given, mark }: WorkspaceInput,
    act: (place: WorkspaceStore) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const root = await realpath(given).catch(() => null)
    if (root === null) return workspaceMissing(resolve(given))
    const expected = mark === undefined ? { real: root, identity: null } : expectedOf(given, mark)
    if (root !== expected.real) return replaced(given)
    const { identity } = expected
    try {
      await mkdir(deps.directory, { recursive: true, mode: 0o700 })
      const home = await realpath(deps.directory)
      const directory = directoryOf(home, root)
      // Our own data is left out, even if it is in the workspace.
      const data = dirname(home)
      const skip = data !== root && isInside(root, data) ? [data] : [home]
      return await queue.run(directory, () => act({ root, identity, directory, skip }))
    } catch (error) {
      if (error instanceof ThreadFailure ? error.failure.replaced : error instanceof WorkspaceReplaced)
        return replaced(given)
      return faultOf(given, error)
    }
  }

  async function replaced(root: string): Promise<Failed> {
    await deps.refused?.(root)
    return replacedWorkspace(root)
  }

  async function difference(place: WorkspaceStore, tree: string): Promise<Difference> {
    const compared = await runInThread({ ...place, kind: 'compare', tree })
    if (compared.kind !== 'compare') throw new Error('a thread answered another question')
    return compared.difference
  }

  return {
    take: ({ checkpointId, also = null, ...given }) =>
      at(given, async (place) => {
        const started = performance.now()
        const taken = await runInThread({ ...place, kind: 'take', checkpointId, also })
        if (taken.kind !== 'take') throw new Error('a thread answered another question')
        const { kind: _kind, notInGit, ...rest } = taken
        const ms = Math.round(performance.now() - started)
        log.info({ checkpointId, files: rest.fileCount, notKept: rest.notKept.length, ms }, 'checkpoint taken')
        if (notInGit !== null)
          log.warn({ checkpointId, git: notInGit }, 'Git could not store it; it is stored in our own files')
        return ok(rest)
      }),
    compare: ({ tree, ...given }) =>
      at(given, async (place) => {
        const { modified, deleted, added } = await difference(place, tree)
        const paths = (found: readonly { path: string }[]) => found.map(({ path }) => path)
        return ok({ modified: paths(modified), deleted: paths(deleted), added: paths(added) })
      }),
    async list({ root: given, ...page }) {
      const root = await realpath(given).catch(() => resolve(given))
      const directory = directoryOf(await realpath(deps.directory).catch(() => deps.directory), root)
      try {
        const listed = await runInThread({ ...page, kind: 'list', root, directory, skip: [] })
        if (listed.kind !== 'list') throw new Error('a thread answered another question')
        return ok(listed.page)
      } catch (error) {
        if (error instanceof ThreadFailure) return gone(error.failure.message)
        throw error
      }
    },
    restore: ({ tree, restorePoint, removeNew, checkpointId, before, ...given }) =>
      at(given, async (place) => {
        const hold = deps.hold ?? bestHold()
        const { root, identity, directory } = place
        using steps = openRestoreLog(directory, before)
        const where = { root, identity, hold, mark: tree.slice(0, 8), note: steps.note }
        const undone = await undoRestore({ ...where, steps: readRestoreLog(directory, checkpointId) })
        const found = await difference(place, tree)
        const done = await restoreFiles({ ...where, directory, restorePoint, removeNew, difference: found })
        const restored = { ...done, removed: [...undone, ...done.removed].sort() }
        const counts = Object.entries(restored).map(([what, list]) => [what, list.length])
        log.info({ tree, ...Object.fromEntries(counts) }, 'checkpoint restored')
        return ok(restored)
      }),
  }
}

function faultOf(root: string, error: unknown): Failed {
  if (error instanceof ThreadFailure) {
    if (error.failure.tooMany) return tooMany(root)
    if (error.failure.code === null) throw error
    if (error.failure.code === 'ENOENT' && error.failure.message.includes('is not kept')) return gone(error.message)
    return refusedBySystem(root, Object.assign(error, { code: error.failure.code }))
  }
  if (error instanceof GitFailed || error instanceof ContentMissing) return gone(error.message)
  if (errnoOf(error) === null) throw error
  return refusedBySystem(root, error)
}

const tooMany = (root: string): Failed =>
  fail({
    kind: 'too_large',
    code: 'workspace_too_large',
    message: `${root} has more than ${mostFiles.toLocaleString('en')} files that are not ignored.`,
    hint: 'List files that need not be kept in .gitignore.',
  })

const gone = (why: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'checkpoint_damaged',
    message: `The contents of this checkpoint can't be read: ${why.split('\n')[0] ?? ''}`,
    hint: 'Check the folder checkpoints in the data directory, and restore it from a backup.',
  })
