import { relative } from 'node:path'
import { fail, type Failed } from '../../../lib/result.ts'

export type FileProblem = { path: string; why: string }

export const patchConflict = (files: readonly FileProblem[]): Failed =>
  fail({
    kind: 'conflict',
    code: 'patch_conflict',
    message: `The diff does not apply to the current files: ${listed(files)}.`,
    hint: 'Read the files again and ask for approval of a new diff. Nothing was written.',
    details: { files },
  })

export const undoConflict = (files: readonly FileProblem[]): Failed =>
  fail({
    kind: 'conflict',
    code: 'undo_conflict',
    message: `Files have changed since the approval: ${listed(files)}.`,
    hint: 'Nothing was written. Undo the later changes first, or use --force, which keeps a copy of the current files.',
    details: { files },
  })

export const nothingToUndo = (why: string): Failed =>
  fail({ kind: 'conflict', code: 'nothing_to_undo', message: `Nothing to undo: ${why}` })

export const unfinished = (cause: Failed): Failed =>
  fail({
    ...cause.fault,
    kind: 'unavailable',
    code: 'apply_unfinished',
    message: `A change was interrupted and could be neither finished nor rolled back: ${cause.fault.message}`,
    hint: 'Fix the cause, then try again or restart Signalbox: it resumes where it stopped.',
  })

// Codes about a path that callers of a diff see as `path_violation`, with the same message.
const aboutPaths = new Set([
  'path_violation',
  'protected_path',
  'not_a_file',
  'is_a_directory',
  'path_empty',
  'path_too_long',
  'link_loop',
  'not_a_directory',
])

/** A path fault in the codes that callers of a diff know. */
export function asChangeFault(failed: Failed, path: string): Failed {
  const { code, message, hint } = failed.fault
  if (aboutPaths.has(code)) return fail({ kind: 'forbidden', code: 'path_violation', message, hint })
  return code === 'path_changed' ? patchConflict([{ path, why: 'kept changing while it was being opened' }]) : failed
}

/** A file changed while an undo was running. */
export const asUndoFault = (failed: Failed): Failed => {
  const files = failed.fault.details?.['files']
  if (failed.fault.code !== 'patch_conflict' || !Array.isArray(files)) return failed
  return undoConflict(files.map(({ path, why }: FileProblem) => ({ path, why })))
}

export const relativeTo = (root: string, path: string): string => relative(root, path) || '.'

const listed = (files: readonly FileProblem[]): string => {
  const shown = files.slice(0, 5).map(({ path, why }) => `${path} ${why}`)
  return [...shown, ...(files.length > 5 ? [`and ${files.length - 5} more`] : [])]
    .join('; ')
    .replaceAll(/\p{Cc}/gu, '�')
}
