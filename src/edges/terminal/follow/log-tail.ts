import type { Result } from '../../../lib/result.ts'
import { openFile } from './open-file.ts'

/** As much as fits on a screen. */
const mostBytes = 8 * 1024

/** The last lines of a log before a position: what a person who opens it there sees. Empty if it can't be read. */
export async function logTail(
  path: string,
  position: number,
  checkPath: (path: string) => Promise<Result<void>>,
): Promise<Buffer> {
  const from = Math.max(0, position - mostBytes)
  if (position === from) return Buffer.alloc(0)
  const opened = await openFile(path, checkPath)
  if (!opened.ok) return Buffer.alloc(0)
  const { handle } = opened.value
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(position - from), 0, position - from, from)
    const read = buffer.subarray(0, bytesRead)
    // The first line is cut, unless it is the only one.
    return from > 0 ? read.subarray(read.indexOf(10) + 1) : read
  } finally {
    await handle.close()
  }
}
