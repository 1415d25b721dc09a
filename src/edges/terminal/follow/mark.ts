import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Result } from '../../../lib/result.ts'
import { createHeldFile, inodeOf } from './held-file.ts'
import { openFile } from './open-file.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'

/**
 * How a log is recognised after it was not followed for a while: by its inode, and by the bytes before a position. Its
 * device does not count: its number may change when the machine restarts.
 */
export type FileMark = z.infer<typeof FileMark>
const FileMark = z.object({
  epoch: z.int(),
  inode: z.string(),
  position: z.int(),
  /** SHA-256 of the bytes before that position. */
  before: z.string(),
})

const name = 'followed.json'

/** The mark of a log before it is followed; null if it can't be read. */
export async function markNow(
  path: string,
  position: number,
  check: (path: string) => Promise<Result<void>>,
): Promise<FileMark | null> {
  const opened = await openFile(path, check)
  if (!opened.ok) return null
  const held = createHeldFile(opened.value)
  try {
    const before = await held.before(position)
    return before === null ? null : { epoch: 0, inode: inodeOf(held), position, before }
  } catch {
    return null
  } finally {
    await held.close()
  }
}

/** Null if there is none that can be read: then following continues unless the log got shorter. */
export async function readMark(directory: string): Promise<FileMark | null> {
  try {
    return jsonOrNull(await readFile(join(directory, name), 'utf8'), FileMark)
  } catch {
    return null
  }
}

/** Replaces the mark atomically: after a kill or on a full disk, the previous one is still there. */
export async function writeMark(directory: string, mark: FileMark): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeFile(join(directory, `${name}.new`), JSON.stringify(mark), { mode: 0o600 })
    await rename(join(directory, `${name}.new`), join(directory, name))
  } catch {
    // The next mark is written in its place.
  }
}
