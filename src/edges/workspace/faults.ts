import { fail, type Failed } from '../../lib/result.ts'
import { errnoOf } from './errno.ts'

export const outsideWorkspace = (path: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'path_violation',
    message: `${shown(path)} points outside the workspace.`,
    hint: 'Name a path inside the workspace. This attempt was recorded.',
  })

export const protectedPath = (path: string, part: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'protected_path',
    message: `${shown(path)} is in ${part}, which is write-protected.`,
    hint: 'Change it by hand, or with the tool it belongs to. This attempt was recorded.',
  })

export const specialFile = (path: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'not_a_file',
    message: `${shown(path)} is a pipe, socket or device, not a file.`,
    hint: 'Name an ordinary file. This attempt was recorded.',
  })

export const isDirectory = (path: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'is_a_directory',
    message: `${shown(path)} is a directory.`,
    hint: 'Name a file in it.',
  })

export const fileNotFound = (path: string): Failed =>
  fail({ kind: 'not_found', code: 'file_not_found', message: `File not found: ${shown(path)}` })

export const fileTooLarge = (path: string, most: number): Failed =>
  fail({
    kind: 'too_large',
    code: 'file_too_large',
    message: `${shown(path)} is larger than ${most / 1024 / 1024} MiB.`,
    hint: 'Read the part you need with a command.',
  })

export const notText = (path: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'not_text',
    message: `${shown(path)} is not UTF-8 text.`,
    hint: 'Read it with a command.',
  })

export const keepsChanging = (path: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'path_changed',
    message: `${shown(path)} kept changing while it was being opened.`,
    hint: 'Try again when no other program is changing it.',
  })

const invalid = {
  empty: ['path_empty', () => 'The path is empty.'],
  too_long: ['path_too_long', (path) => `${shown(path)} is too long for a path.`],
  loop: ['link_loop', (path) => `${shown(path)} has too many links, or a loop of links.`],
  not_a_directory: ['not_a_directory', (path) => `${shown(path)} uses a file as a directory.`],
} satisfies Record<string, [string, (path: string) => string]>

export const invalidPath = (why: keyof typeof invalid, path: string): Failed => {
  const [code, message] = invalid[why]
  return fail({ kind: 'invalid', code, message: message(path) })
}

export const workspaceMissing = (root: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'workspace_missing',
    message: `The workspace ${root} is missing or was moved.`,
    hint: 'Put it back, or start a session elsewhere.',
  })

export const replacedWorkspace = (root: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'path_violation',
    message: `${root} is not the directory this session started in: it was replaced by a link or another directory.`,
    hint: 'Put the directory back, or start a new session in the new place. This attempt was recorded.',
  })

/** For errors of the system: permissions, a full disk, a broken disk. */
export function refusedBySystem(path: string, error: unknown): Failed {
  const code = errnoOf(error)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return fail({
      kind: 'forbidden',
      code: 'no_access',
      message: `Permission denied: ${shown(path)} (${code}).`,
      hint: 'Check the owner and mode of the file and its directory.',
    })
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return fail({
      kind: 'unavailable',
      code: 'disk_full',
      message: `Not enough disk space for ${shown(path)} (${code}).`,
    })
  // No errno: a bug, not a system error.
  if (code === null) throw error
  return fail({ kind: 'unavailable', code: 'file_unreachable', message: `${shown(path)} can't be used (${code}).` })
}

/** Control characters in a path could overwrite a terminal or a log; overlong paths hide the rest of the line. */
const shown = (path: string): string => {
  const plain = path.replaceAll(/\p{Cc}/gu, '�')
  return plain.length > 300 ? `${plain.slice(0, 300)}…` : plain
}
