import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { exit } from './exit.ts'
import { Failure } from './failure.ts'

const cannotWrite: Readonly<Record<string, string>> = {
  ENOENT: 'directory not found',
  ENOTDIR: 'part of the path is a file, not a directory',
  EACCES: 'that is not permitted',
  EPERM: 'that is not permitted',
  EROFS: 'nothing can be written there',
  ENOSPC: 'the disk is full',
}

/** Writes an export as it comes: for its owner's eyes, and never over an earlier one. */
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
        message: `${path} could not be written: ${why}.`,
        hint: 'Name a file in an existing directory that you can write to.',
        cause: error,
      })
    if (code !== 'EEXIST') throw error
    throw new Failure({
      exit: exit.conflict,
      code: 'file_exists',
      message: `${path} already exists.`,
      hint: 'Name another, or remove it first.',
      cause: error,
    })
  }
}
