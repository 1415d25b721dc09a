import type { DirectoryMark } from '../../lib/directory-mark.ts'
import { ok, type Result } from '../../lib/result.ts'
import { createHeldPaths, locatePath } from './held-paths.ts'
import { hashOf, readAll, withFile } from './open-file.ts'
import { bestHold, type Hold } from './held-directory.ts'
import { notText } from './faults.ts'
import { mayWrite, replaceFile } from './replace-file.ts'

const MiB = 1024 * 1024
const mostText = 16 * MiB
const mostHashed = 1024 * MiB

/** The files of one workspace, for agents: nothing outside it is read, written, created or deleted. */
export type WorkspaceFiles = {
  /** Real path inside the workspace for an absolute or relative path of an agent. */
  locate(path: string): Promise<Result<{ path: string; exists: boolean }>>
  /** At most `limit` lines from `line` on (the first is 1), with their line ends. */
  readText(path: string, window?: { line?: number; limit?: number }): Promise<Result<{ text: string }>>
  /** The whole file, up to `most` bytes, with its mode and the real path of what was read. */
  readBytes(path: string, most: number): Promise<Result<{ bytes: Uint8Array; mode: number; real: string }>>
  /** Whether a write there would be refused whatever its content; refusals are reported. */
  mayWrite(path: string): Promise<Result<{ path: string; exists: boolean }>>
  /** Whole file or nothing; keeps the mode and creates missing directories. */
  writeText(path: string, content: string): Promise<Result<{ path: string; bytes: number; created: boolean }>>
  /** SHA-256 of the file, or `new_file` if there is none. */
  hash(path: string): Promise<Result<string>>
}

export function openWorkspace(deps: {
  root: string
  /** Called for every refused path. */
  refused(path: string, why: string): Promise<void>
  /** The mark of the root when its session began, if it belongs to a session. */
  mark?: () => Promise<DirectoryMark | null>
  hold?: Hold
}): WorkspaceFiles {
  const { root, refused, mark } = deps
  const paths = createHeldPaths({ root, hold: deps.hold ?? bestHold(), refused, mark })
  return {
    locate: (path) => locatePath(paths, path),
    async readText(path, window = {}) {
      const read = await withFile(paths, path, (file) => readAll(file, path, mostText))
      if (!read.ok) return read
      const text = textOf(read.value)
      return text === null ? notText(path) : ok({ text: part(text, window) })
    },
    readBytes: (path, most) =>
      withFile(paths, path, async (file) => {
        const read = await readAll(file, path, most)
        return read.ok ? ok({ bytes: read.value, mode: file.mode, real: file.where }) : read
      }),
    mayWrite: (path) => mayWrite(paths, path),
    writeText: (path, content) => replaceFile(paths, path, Buffer.from(content)),
    async hash(path) {
      const hash = await withFile(paths, path, (file) => hashOf(file, path, mostHashed))
      return !hash.ok && hash.fault.code === 'file_not_found' ? ok('new_file') : hash
    },
  }
}

/** Null if the bytes are not valid UTF-8. A byte order mark is kept. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function part(text: string, { line = 1, limit }: { line?: number; limit?: number }): string {
  if (line <= 1 && limit === undefined) return text
  const start = afterLines(text, 0, line - 1)
  return text.slice(start, limit === undefined ? undefined : afterLines(text, start, limit))
}

function afterLines(text: string, from: number, count: number): number {
  let at = from
  for (let passed = 0; passed < count && at < text.length; passed += 1) {
    const end = text.indexOf('\n', at)
    at = end === -1 ? text.length : end + 1
  }
  return at
}
