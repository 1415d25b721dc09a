import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { exit, Failure } from './failure.ts'

const cannotWrite: Readonly<Record<string, string>> = {
  ENOENT: 'directory not found',
  ENOTDIR: 'part of the path is a file, not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  ENOSPC: 'the disk is full',
}

/** Streams an export to a private file; never overwrites one. */
export async function saveChunks(
  path: string,
  chunks: AsyncIterable<Buffer>,
): Promise<{ lines: number; bytes: number }> {
  const file = createWriteStream(path, { mode: 0o600, flags: 'wx' })
  try {
    await once(file, 'open')
    let lines = 0
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      for (const byte of chunk) if (byte === 10) lines++
      if (!file.write(chunk)) await once(file, 'drain')
    }
    file.end()
    await finished(file)
    return { lines, bytes }
  } catch (error) {
    file.destroy()
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const why = cannotWrite[code]
    if (why !== undefined)
      throw new Failure({
        exit: exit.failed,
        code: 'file_not_writable',
        message: `Can't write ${path}: ${why}.`,
        hint: 'Choose a file in an existing, writable directory.',
        cause: error,
      })
    if (code !== 'EEXIST') throw error
    throw new Failure({
      exit: exit.conflict,
      code: 'file_exists',
      message: `${path} already exists.`,
      hint: 'Choose another name, or remove it first.',
      cause: error,
    })
  }
}
