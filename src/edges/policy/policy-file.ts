import { constants } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The file that is written; the older name is read if this one does not exist. */
export const policyFile = '.signalbox/settings.json'
const fileNames = [policyFile, '.monocoque/settings.json']
const most = 1024 * 1024

/** A policy file as it is now; `mark` changes whenever the file does. */
export type FoundPolicyFile =
  | { path: null; mark: string }
  | { path: string; mark: string; wrong: string }
  | { path: string; mark: string; wrong: null; text(): Promise<string> }

/** The policy file of a workspace. An unusable one is reported, not skipped in favor of the next name. */
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
      return { path, mark, wrong: 'it is a link; a policy must be a plain file in the workspace' }
    if (!stats.isFile()) return { path, mark, wrong: 'it is not a file' }
    if (stats.size > most) return { path, mark, wrong: 'it is larger than 1 MiB' }
    return { path, mark, wrong: null, text: () => readPlain(path) }
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : { path, mark: code, wrong: `it can't be opened (${code})` }
  }
}

/** Never follows a link or waits on a pipe that was put there meanwhile. */
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
