import type { DirectoryMark } from '../../../lib/directory-mark.ts'
import type { Logger } from '../../../lib/log.ts'
import { ok, type Failed, type Result, type Fault } from '../../../lib/result.ts'
import type { HeldPaths } from '../held-paths.ts'
import { refusedBySystem, workspaceMissing } from '../faults.ts'
import type { UndoStore } from '../undo-store.ts'
import type { AppliedChange, UndoneChange } from './file-changes.ts'
import { relativeTo, unfinished, asChangeFault, patchConflict } from './faults.ts'
import { markBack, markEnd, readJournal, bytesOf, type Journal, type JournalStep, type StepSide } from './journal.ts'
import { sha256 } from '../../../lib/secret.ts'
import { stagedName } from '../staged-name.ts'
import { clearStaged, removeEmpty, removeFile, seeFile, stageFile, swapIn, type FileState } from './held-files.ts'

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

type Runner = {
  paths: HeldPaths
  journal: Journal
  /** Not interrupted so far. */
  fresh: boolean
  /** Awaited between steps, so that a test can stop there. */
  step(name: string): Promise<void>
  /** Called if a file is in neither its old nor its new state. A fault stops the change. */
  stranger(step: JournalStep, state: FileState): Promise<Failed | null>
}

/** Applies all steps. Stops at the first fault, and removes staged files. */
async function runForward(runner: Runner): Promise<Result<void>> {
  const done = await runSteps(runner, runner.journal.index.steps.map(numbered))
  // A change that was not interrupted left nothing.
  if (!done.ok || !runner.fresh) await clear(runner)
  return done
}

/** Rolls all steps back. Files that others changed or moved meanwhile are left alone. */
async function runBack(runner: Runner, left: (step: JournalStep) => void): Promise<Result<void>> {
  const steps = runner.journal.index.steps
    .map(({ path, before, after }) => ({ path, before: after, after: before }))
    .map(numbered)
    .toReversed()
  const stranger: Runner['stranger'] = (step) => Promise.resolve(changedMeanwhile(runner.journal.index.root, step))
  const done = await runSteps({ ...runner, stranger }, steps, (step, fault) => {
    if (fault.code !== 'path_violation' && fault.code !== 'patch_conflict') return false
    left(step)
    return true
  })
  await clear(runner)
  return done
}

type Numbered = { step: JournalStep; number: number }
const numbered = (step: JournalStep, number: number): Numbered => ({ step, number })

/** Removes directories that were created for files that no longer exist. */
async function removeDirectories(paths: HeldPaths, directories: readonly string[]): Promise<void> {
  for (const directory of directories.toReversed()) await removeEmpty(paths, directory)
}

async function clear({ paths, journal }: Runner): Promise<void> {
  for (const [number, { path }] of journal.index.steps.entries())
    await clearStaged(paths, path, besideOf(journal, number))
}

/**
 * Everything is staged before the first file changes; files are written before any is deleted. `skip`: whether to
 * continue without a file that can't be changed.
 */
async function runSteps(
  runner: Runner,
  steps: readonly Numbered[],
  skip: (step: JournalStep, fault: Fault) => boolean = () => false,
): Promise<Result<void>> {
  const { paths, journal } = runner
  const faultOf = (step: JournalStep, result: Result<unknown>): Failed | null =>
    result.ok ? null : asChangeFault(result, relativeTo(journal.index.root, step.path))
  const todo: Numbered[] = []
  for (const { step, number } of steps) {
    const seen = await seeFile(paths, step.path)
    const failed = faultOf(step, seen)
    if (failed !== null && !skip(step, failed.fault)) return failed
    if (seen.ok && !matches(step, seen.value.state, step.after)) todo.push({ step, number })
  }
  const ready: Numbered[] = []
  for (const { step, number } of todo) {
    const staged = step.after && (await stageFile(paths, await stagedContent(journal, step, step.after, number)))
    const failed = staged && faultOf(step, staged)
    if (failed !== null && !skip(step, failed.fault)) return failed
    if (failed === null) ready.push({ step, number })
    if (staged) await runner.step(`staged:${number}`)
  }
  const deletes = ready.filter(({ step }) => step.after === null)
  for (const { step, number } of [...ready.filter(({ step }) => step.after !== null), ...deletes]) {
    const check = async (state: FileState): Promise<Failed | null> =>
      matches(step, state, step.before) || matches(step, state, step.after) ? null : runner.stranger(step, state)
    const moved =
      step.after === null
        ? await removeFile(paths, { path: step.path, check })
        : await swapIn(paths, { ...(await stagedContent(journal, step, step.after, number)), check })
    const failed = faultOf(step, moved)
    if (failed !== null && !skip(step, failed.fault)) return failed
    await runner.step(`moved:${number}`)
  }
  return ok(undefined)
}

async function stagedContent(journal: Journal, { path }: JournalStep, after: StepSide, number: number) {
  const content = { bytes: await bytesOf(journal, after), mode: after.mode, masked: after.masked }
  return { path, beside: besideOf(journal, number), content }
}

/** Named after the journal, so that files left by a crash can be found. */
const besideOf = (journal: Journal, number: number): string => stagedName(journal.index.askId, number)

/** Compares modes only if the contents are the same before and after. */
function matches(step: JournalStep, state: FileState, side: StepSide | null): boolean {
  if (state === null || side === null) return state === side
  if (sha256(state.bytes) !== side.hash) return false
  return step.before?.hash !== step.after?.hash || state.mode === side.mode
}

const changedMeanwhile = (root: string, { path }: JournalStep): Failed =>
  patchConflict([{ path: relativeTo(root, path), why: 'was changed at the same moment' }])
