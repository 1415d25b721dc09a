import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { exit } from './exit.ts'
import { Failure } from './failure.ts'

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
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!exists) throw error
    throw new Failure({
      exit: exit.conflict,
      code: 'file_exists',
      message: `There is a file ${path} already.`,
      hint: 'Name another, or remove it first.',
      cause: error,
    })
  }
}
