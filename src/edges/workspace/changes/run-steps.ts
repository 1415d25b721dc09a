import { ok, type Failed, type Fault, type Result } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import type { HeldPaths } from '../held-paths.ts'
import { stagedName } from '../staged-name.ts'
import { asChangeFault, patchConflict, relativeTo } from './faults.ts'
import { clearStaged, removeEmpty, removeFile, seeFile, stageFile, swapIn, type FileState } from './held-files.ts'
import { bytesOf, type Journal, type StepSide, type JournalStep } from './journal.ts'

export type Runner = {
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
export async function runForward(runner: Runner): Promise<Result<void>> {
  const done = await runSteps(runner, runner.journal.index.steps.map(numbered))
  // A change that was not interrupted left nothing.
  if (!done.ok || !runner.fresh) await clear(runner)
  return done
}

/** Rolls all steps back. Files that others changed or moved meanwhile are left alone. */
export async function runBack(runner: Runner, left: (step: JournalStep) => void): Promise<Result<void>> {
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
export async function removeDirectories(paths: HeldPaths, directories: readonly string[]): Promise<void> {
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
export function matches(step: JournalStep, state: FileState, side: StepSide | null): boolean {
  if (state === null || side === null) return state === side
  if (sha256(state.bytes) !== side.hash) return false
  return step.before?.hash !== step.after?.hash || state.mode === side.mode
}

export const changedMeanwhile = (root: string, { path }: JournalStep): Failed =>
  patchConflict([{ path: relativeTo(root, path), why: 'was changed at the same moment' }])
