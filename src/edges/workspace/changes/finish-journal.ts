import type { DirectoryMark } from '../../../lib/directory-mark.ts'
import type { Logger } from '../../../lib/log.ts'
import { ok, type Failed, type Result } from '../../../lib/result.ts'
import type { HeldPaths } from '../held-paths.ts'
import { refusedBySystem, workspaceMissing } from '../faults.ts'
import type { UndoStore } from '../undo-store.ts'
import type { AppliedChange, UndoneChange } from './file-changes.ts'
import { relativeTo, unfinished } from './faults.ts'
import { markBack, markEnd, readJournal, type Journal, type JournalStep } from './journal.ts'
import { removeDirectories, runBack, runForward, changedMeanwhile, type Runner } from './run-steps.ts'

/** A workspace, and its mark when its session began. */
export type MarkedRoot = { root: string; mark?: DirectoryMark | null | undefined }

type JournalKind = 'apply' | 'undo'
type FinishOptions = { fresh?: boolean }

/** Finishes a complete journal: forward, or back if that fails. Repeated, it returns the same result. */
export function createFinisher(deps: {
  undo: UndoStore
  log: Logger
  step(name: string): Promise<void>
  open(root: MarkedRoot): HeldPaths
}) {
  const { undo, log, step } = deps

  async function finish(
    directory: string,
    kind: JournalKind,
    { fresh = false }: FinishOptions,
  ): Promise<Result<Journal>> {
    const journal = await readJournal(directory)
    if (journal === null) throw new Error(`There is no journal in ${directory}.`)
    if (journal.end !== null) return journal.end.fault === null ? ok(journal) : { ok: false, fault: journal.end.fault }
    const { root } = journal.index
    const paths = deps.open(journal.index)
    const real = await paths.root()
    // Without its workspace nothing can be half done.
    if (!real.ok || real.value !== root) return end(journal, workspaceMissing(root))
    const stranger: Runner['stranger'] = async (found, state) => {
      if (fresh) return changedMeanwhile(root, found)
      log.warn({ askId: journal.index.askId, path: found.path }, 'a file changed while a change was interrupted')
      if (state !== null)
        await undo.keepFound({
          askId: journal.index.askId,
          path: found.path,
          ...state,
          restore: kind === 'apply',
        })
      return null
    }
    const runner: Runner = { paths, journal, fresh, step, stranger }
    try {
      if (journal.back !== null) return await back(runner, { ok: false, fault: journal.back })
      const done = await runForward(runner)
      if (!done.ok) return await back({ ...runner, journal: await markBack(journal, done.fault) }, done)
      if (kind === 'undo') await afterUndo(paths, journal)
      await step('before:end')
      return await end(journal, null)
    } catch (error) {
      return unfinished(refusedBySystem(directory, error))
    }
  }

  async function end(journal: Journal, failed: Failed | null): Promise<Result<Journal>> {
    await markEnd(journal, failed?.fault ?? null)
    await step('end')
    return failed ?? ok(journal)
  }

  async function back(runner: Runner, cause: Failed): Promise<Result<Journal>> {
    const { paths, journal } = runner
    const { askId, directories } = journal.index
    const left = ({ path }: JournalStep) =>
      log.warn({ askId, path }, 'a file was changed by others and is not rolled back')
    await step('back')
    const done = await runBack(runner, left)
    if (!done.ok) {
      log.error({ askId, code: done.fault.code }, 'a file change could not be rolled back')
      return unfinished(done)
    }
    await removeDirectories(paths, directories)
    return end(journal, cause)
  }

  async function afterUndo(paths: HeldPaths, { index }: Journal): Promise<void> {
    const point = await undo.get(index.askId)
    await removeDirectories(paths, point?.directories ?? [])
    await undo.markUndone(index.askId)
  }

  return {
    async apply(directory: string, options: FinishOptions = {}): Promise<Result<AppliedChange>> {
      const done = await finish(directory, 'apply', options)
      return done.ok ? ok({ filesWritten: done.value.index.files, forced: done.value.index.forced }) : done
    },
    async undo(directory: string, options: FinishOptions = {}): Promise<Result<UndoneChange>> {
      const done = await finish(directory, 'undo', options)
      if (!done.ok) return done
      const { root, steps } = done.value.index
      const outcome = ({ after }: JournalStep) => (after === null ? ('removed' as const) : ('restored' as const))
      return ok({ restored: steps.map((item) => ({ path: relativeTo(root, item.path), outcome: outcome(item) })) })
    },
  }
}
