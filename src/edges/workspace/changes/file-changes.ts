import { join } from 'node:path'
import type { DirectoryMark } from '../../../lib/directory-mark.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { unifiedDiff } from '../../../lib/unified-diff.ts'
import { createHeldPaths, type HeldPaths } from '../held-paths.ts'
import { bestHold, type Hold } from '../held-directory.ts'
import { refusedBySystem } from '../faults.ts'
import { textOf } from '../workspace-files.ts'
import type { UndoStore } from '../undo-store.ts'
import { readsAsDiff } from '../../../lib/diff/read-diff.ts'
import { asUndoFault, nothingToUndo, patchConflict, relativeTo } from './faults.ts'
import { createFinisher, type MarkedRoot } from './finish-journal.ts'
import { beginJournal, commitJournal, listJournals, readJournal, removeJournal, type JournalIndex } from './journal.ts'
import { hashOf, planChanges, lookAtFiles, type PlannedFile, type DiffFiles } from './change-plan.ts'
import { planUndo } from './undo-plan.ts'

/** `path` is relative to the workspace; `hash` is SHA-256, or `new_file`. */
export type FileHash = { path: string; hash: string }
export type AppliedChange = { filesWritten: { path: string; bytes: number }[]; forced: boolean }
export type UndoneChange = { restored: { path: string; outcome: 'restored' | 'removed' }[] }

/** Approved file changes: all or none, journaled until the core has recorded them, and undoable until files change again. */
export type FileChanges = {
  /**
   * Before people are asked: checks that a diff applies to the current files, and returns them, `file_path` first.
   * `preview`: for whole content, the difference to the current file as a diff.
   */
  look(input: {
    root: string
    mark?: DirectoryMark | null
    filePath: string
    diff: string
  }): Promise<Result<{ files: FileHash[]; preview: string | null }>>
  apply(input: {
    askId: string
    sessionId: string
    root: string
    mark?: DirectoryMark | null
    filePath: string
    diff: string
    files: readonly FileHash[]
    force: boolean
  }): Promise<Result<AppliedChange>>
  /** Continues a journal found at a start. Null if there is none or it is incomplete: then no file was touched. */
  resume(askId: string): Promise<Result<AppliedChange> | null>
  /** Ids of asks with a journal of an apply. */
  unfinished(): Promise<string[]>
  /** The result is recorded: removes the journals of this ask, except one that is half done. */
  settle(askId: string): Promise<void>
  /**
   * Repeated before `settle`, it returns the same result; afterwards there is nothing to undo. With `force` files are
   * restored over later changes, which are kept in the undo point. With `check` nothing is written: the result is what
   * an undo would do.
   */
  undo(input: {
    askId: string
    root: string
    mark?: DirectoryMark | null
    force?: boolean
    check?: boolean
  }): Promise<Result<UndoneChange>>
  /** The same pair for undos that were interrupted. */
  resumeUndo(askId: string): Promise<Result<UndoneChange> | null>
  unfinishedUndos(): Promise<string[]>
}

export type FileChangesDeps = {
  dataDir: string
  clock: Clock
  log: Logger
  /** Called for every refused path. */
  refused(path: string, why: string): Promise<void>
  undo: UndoStore
  hold?: Hold
  /** Awaited between steps, so that a test can stop there. */
  step?(name: string): Promise<void>
}

const undoEnding = '.undo'
const isId = (askId: string): boolean => /^[\da-z-]{1,64}$/i.test(askId)

export function createFileChanges(deps: FileChangesDeps): FileChanges {
  const { undo, log } = deps
  const journals = join(deps.dataDir, 'journal')
  const step = deps.step ?? (() => Promise.resolve())
  const queue = createKeyedQueue()
  /** With a mark, even null, the root must be the directory it was when its session began. */
  const open = ({ root, mark }: MarkedRoot): HeldPaths => {
    const known = mark === undefined ? undefined : () => Promise.resolve(mark)
    return createHeldPaths({ root, hold: deps.hold ?? bestHold(), refused: deps.refused, mark: known })
  }
  const finish = createFinisher({ undo, log, step, open })
  const ofApply = (askId: string): string => join(journals, askId)
  const ofUndo = (askId: string): string => join(journals, askId + undoEnding)

  /** Contents first, index last; once the index is written, the change is finished or rolled back. */
  async function write(
    directory: string,
    planned: readonly PlannedFile[],
    about: Omit<JournalIndex, 'steps' | 'directories'>,
    keep: (directories: string[]) => Promise<Result<unknown>>,
  ) {
    const directories = [...new Set(planned.flatMap(({ missingParents }) => missingParents))].toSorted()
    try {
      const steps = await beginJournal(directory, planned.filter(isChange))
      await step('journal:contents')
      const kept = await keep(directories)
      if (!kept.ok) return kept
      await step('undo:kept')
      const journal = await commitJournal(directory, { ...about, directories, steps })
      await step('journal:index')
      return ok(journal)
    } catch (error) {
      return refusedBySystem(directory, error)
    }
  }

  /** A rolled-back change needs no undo point, unless the workspace is missing: then it may be the only copy. */
  async function continueApply(askId: string): Promise<Result<AppliedChange>> {
    const result = await finish.apply(ofApply(askId))
    if (!result.ok && !['apply_unfinished', 'workspace_missing'].includes(result.fault.code)) await undo.drop(askId)
    return result
  }

  async function applyNow(input: Parameters<FileChanges['apply']>[0]): Promise<Result<AppliedChange>> {
    const { askId, sessionId } = input
    const directory = ofApply(askId)
    if ((await readJournal(directory)) !== null) {
      const earlier = await continueApply(askId)
      if (earlier.ok || earlier.fault.code === 'apply_unfinished') return earlier
      await removeJournal(directory)
    }
    const sight = await lookAtFiles(open(input), input)
    if (!sight.ok) return sight
    const { root } = sight.value
    await step('seen')
    const differing = compare(sight.value, input.files)
    const strange = differing.filter(({ known }) => !known)
    if (strange.length > 0 || (differing.length > 0 && !input.force))
      return patchConflict((input.force ? strange : differing).map(({ path, why }) => ({ path, why })))
    const planned = planChanges(sight.value)
    if (!planned.ok) return planned

    const files = planned.value.map(({ path, after }) => ({
      path: relativeTo(root, path),
      bytes: after?.bytes.length ?? 0,
    }))
    const about = { askId, root, ...markOf(input), forced: differing.length > 0, files }
    const edits = planned.value.map(({ path, before, after }) => ({
      path,
      before,
      after: after === null ? null : { bytes: after.bytes, mode: after.masked ? null : after.mode },
    }))
    const written = await write(directory, planned.value, about, (directories) =>
      undo.keepExact({ askId, sessionId, edits, directories }),
    )
    const result = written.ok ? await finish.apply(directory, { fresh: true }) : written
    if (!result.ok && result.fault.code !== 'apply_unfinished') {
      await undo.drop(askId)
      await removeJournal(directory)
    }
    return result
  }

  /** Keeps what a forced undo overwrites. */
  async function keepOverwritten(askId: string, planned: readonly PlannedFile[]): Promise<void> {
    for (const { path, before } of planned)
      if (before !== null) await undo.keepFound({ askId, path, bytes: before.bytes, mode: before.mode, restore: false })
  }

  async function undoNow(input: Parameters<FileChanges['undo']>[0]) {
    const { askId, force = false, check = false } = input
    const directory = ofUndo(askId)
    if (!check && (await readJournal(directory)) !== null) return finish.undo(directory)
    const earlier = await readJournal(ofApply(askId))
    if (earlier !== null && earlier.end?.fault !== null) return stillApplying(askId)
    const point = await undo.get(askId)
    if (point === null) return nothingToUndo('this approval changed no file.')
    if (point.undoneAt !== null) return nothingToUndo(`it was undone at ${point.undoneAt}.`)
    const paths = open(input)
    const root = await paths.root()
    if (!root.ok) return root
    const planned = await planUndo(paths, undo, point, { root: root.value, force })
    if (!planned.ok) return planned
    if (check) return ok({ restored: planned.value.map((file) => restoredFile(file, root.value)) })
    const files = planned.value.map(({ path, after }) => ({
      path: relativeTo(root.value, path),
      bytes: after?.bytes.length ?? 0,
    }))
    const about = { askId, root: root.value, ...markOf(input), forced: force, files }
    const written = await write(directory, planned.value, about, async () => {
      if (force) await keepOverwritten(askId, planned.value)
      return ok(undefined)
    })
    const result = written.ok ? await finish.undo(directory, { fresh: true }) : written
    if (result.ok || result.fault.code === 'apply_unfinished') return result
    await removeJournal(directory)
    return asUndoFault(result)
  }

  async function settle(directory: string): Promise<void> {
    const journal = await readJournal(directory)
    if (journal === null || journal.end !== null) await removeJournal(directory)
    else log.error({ askId: journal.index.askId }, 'a file change is half done; its journal is kept')
  }

  return {
    async look(input) {
      const sight = await lookAtFiles(open(input), input)
      if (!sight.ok) return sight
      const planned = planChanges(sight.value)
      if (!planned.ok) return planned
      const preview = readsAsDiff(input.diff) ? null : previewOf(input.filePath, planned.value)
      return ok({ files: hashes(sight.value), preview })
    },
    apply: (input) => (isId(input.askId) ? queue.run(input.root, () => applyNow(input)) : Promise.resolve(invalidId)),
    async resume(askId) {
      if (!isId(askId)) return null
      const directory = ofApply(askId)
      const journal = await readJournal(directory)
      if (journal !== null) return queue.run(journal.index.root, () => continueApply(askId))
      if (!(await listJournals(journals)).includes(askId)) return null
      await undo.drop(askId)
      await removeJournal(directory)
      return null
    },
    unfinished: async () => (await listJournals(journals)).filter(isId),
    async settle(askId) {
      if (!isId(askId)) return
      await settle(ofApply(askId))
      await settle(ofUndo(askId))
    },
    undo: (input) => (isId(input.askId) ? queue.run(input.root, () => undoNow(input)) : Promise.resolve(invalidId)),
    async resumeUndo(askId) {
      if (!isId(askId)) return null
      const journal = await readJournal(ofUndo(askId))
      if (journal !== null) return queue.run(journal.index.root, () => finish.undo(ofUndo(askId)))
      await removeJournal(ofUndo(askId))
      return null
    },
    unfinishedUndos: async () =>
      (await listJournals(journals))
        .filter((name) => name.endsWith(undoEnding))
        .map((name) => name.slice(0, -undoEnding.length))
        .filter(isId),
  }
}

const restoredFile = ({ path, after }: PlannedFile, root: string) => ({
  path: relativeTo(root, path),
  outcome: after === null ? ('removed' as const) : ('restored' as const),
})

const markOf = ({ mark }: { mark?: DirectoryMark | null }) => (mark === undefined ? {} : { mark })

const isChange = ({ before, after }: PlannedFile): boolean =>
  before === null || after === null ? before !== after : !before.bytes.equals(after.bytes) || before.mode !== after.mode

const hashes = ({ root, seen }: DiffFiles): FileHash[] =>
  [...seen].map(([path, file]) => ({ path: relativeTo(root, path), hash: hashOf(file) }))

/** Files that have changed since the ask. `known` false: the ask did not include the file. */
function compare(sight: DiffFiles, approved: readonly FileHash[]): { path: string; why: string; known: boolean }[] {
  const then = new Map(approved.map(({ path, hash }) => [path, hash]))
  return hashes(sight)
    .filter(({ path, hash }) => then.get(path) !== hash)
    .map(({ path, hash }) => {
      const before = then.get(path)
      if (before === undefined) return { path, why: 'was not part of what was approved', known: false }
      const what = hash === 'new_file' ? 'deleted' : before === 'new_file' ? 'made' : 'changed'
      return { path, why: `was ${what} after the ask`, known: true }
    })
}

const invalidId: Failed = fail({ kind: 'invalid', code: 'invalid_id', message: 'A change needs a valid ask id.' })

const stillApplying = (askId: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'apply_unfinished',
    message: `The change of ask ${askId} is still being written.`,
    hint: 'Try again in a moment.',
  })

/** Null if either side is not text. */
function previewOf(path: string, planned: readonly PlannedFile[]): string | null {
  const [before, after] = [planned[0]?.before, planned[0]?.after].map((side) => (side ? textOf(side.bytes) : null))
  const unreadable = planned[0]?.before && before === null
  return unreadable || after === undefined || after === null ? null : unifiedDiff(path, before ?? null, after)
}
