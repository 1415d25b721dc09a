import { constants } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where a policy is written; one of the other name is read where this one is not there. */
export const policyFile = '.signalbox/settings.json'
const fileNames = [policyFile, '.monocoque/settings.json']
const most = 1024 * 1024

/** A policy file as it is now: `mark` changes whenever it does. */
export type FoundPolicyFile =
  | { path: null; mark: string }
  | { path: string; mark: string; wrong: string }
  | { path: string; mark: string; wrong: null; text(): Promise<string> }

/** The file that decides in a workspace. One that can't be trusted is not passed over in favour of the next. */
export async function findPolicyFile(root: string): Promise<FoundPolicyFile> {
  for (const name of fileNames) {
    const found = await inspect(join(root, name))
    if (found) return found
  }
  return { path: null, mark: 'none' }
}

async function inspect(path: string): Promise<FoundPolicyFile | null> {
  try {
    const [folder, stats] = [await lstat(dirname(path)), await lstat(path, { bigint: true })]
    const mark = [path, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
    if (folder.isSymbolicLink() || stats.isSymbolicLink())
      return { path, mark, wrong: 'it is a link; a policy is a plain file in the workspace itself' }
    if (!stats.isFile()) return { path, mark, wrong: 'it is not a file' }
    if (stats.size > most) return { path, mark, wrong: 'it is larger than 1 MiB' }
    return { path, mark, wrong: null, text: () => readPlain(path) }
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? null
      : { path, mark: code, wrong: `it can't be looked at (${code})` }
  }
}

/** Neither a link put there meanwhile nor a pipe that never ends is followed. */
async function readPlain(path: string): Promise<string> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > most) throw new Error('it changed while it was read')
    const { bytesRead, buffer } = await file.read(Buffer.alloc(most + 1), 0, most + 1, 0)
    if (bytesRead > most) throw new Error('it is larger than 1 MiB')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, bytesRead))
  } finally {
    await file?.close()
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
