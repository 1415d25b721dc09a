import { ok, type Result } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import { plainHash } from '../approved-content.ts'
import type { HeldPaths } from '../held-paths.ts'
import { textOf } from '../workspace-files.ts'
import type { UndoFile, UndoPoint, UndoStore } from '../undo-store.ts'
import { nothingToUndo, relativeTo, undoConflict, type FileProblem } from './faults.ts'
import { seeFile, type SeenFile, type FileState } from './held-files.ts'
import type { PlannedFile } from './change-plan.ts'

/** Plans the undo of an approval, if each file is as the approval left it, or by force. */
export async function planUndo(
  paths: HeldPaths,
  undo: UndoStore,
  point: UndoPoint,
  { root, force }: { root: string; force: boolean },
): Promise<Result<PlannedFile[]>> {
  const planned: PlannedFile[] = []
  const troubles: FileProblem[] = []
  for (const file of point.files) {
    const seen = await seeFile(paths, file.path)
    const why = seen.ok ? obstacleTo(file, seen.value, { exact: point.exact, force }) : seen.fault.message
    if (why !== null) troubles.push({ path: relativeTo(root, file.path), why })
    if (why !== null || !seen.ok || isUnchanged(file, seen.value.state)) continue
    const bytes = file.hash === 'new_file' ? null : await undo.content(point.askId, file.path)
    if (file.hash !== 'new_file' && bytes === null) {
      troubles.push({ path: relativeTo(root, file.path), why: 'was not kept, or the copy is damaged' })
      continue
    }
    const { state, missingParents } = seen.value
    const mode = file.mode ?? state?.mode ?? 0o644
    planned.push({
      path: file.path,
      before: state === null ? null : { ...state, masked: false },
      after: bytes === null ? null : { bytes: Buffer.from(bytes), mode, masked: false },
      missingParents,
    })
  }
  if (troubles.length > 0) return undoConflict(troubles)
  return planned.length === 0 ? nothingToUndo('no file differs from before the approval.') : ok(planned)
}

/** Why a file can't be restored; null if it can. */
function obstacleTo(file: UndoFile, { path, state }: SeenFile, how: { exact: boolean; force: boolean }): string | null {
  const { exact, force } = how
  if (path !== file.path) return 'now points elsewhere'
  // An agent that writes files itself may not have written this one.
  if ((force || !exact) && isUnchanged(file, state)) return null
  if (!file.kept || file.hash === 'unknown') return 'was not kept: it was too large, or not a file'
  if (force) return null
  if (file.expected === null) return 'was changed, but the approval did not say to what'
  if (isAsLeft(file, state, exact))
    return file.modeAfter === null || state === null || state.mode === file.modeAfter
      ? null
      : 'has a different mode since'
  if (state === null) return 'was deleted since'
  return file.expected === 'new_file' ? 'was created again since' : 'was changed since'
}

const isUnchanged = (file: UndoFile, state: FileState): boolean =>
  state === null
    ? file.hash === 'new_file'
    : sha256(state.bytes) === file.hash && (file.modeAfter === null || file.mode === state.mode)

/** Agents that write files themselves may change line ends and delete empty files. */
function isAsLeft(file: UndoFile, state: FileState, exact: boolean): boolean {
  if (state === null) return file.expected === 'new_file' || (!exact && file.expected === sha256(''))
  if (sha256(state.bytes) === file.expected) return true
  const text = exact || file.expectedPlain === null ? null : textOf(state.bytes)
  return text !== null && plainHash(text) === file.expectedPlain
}
