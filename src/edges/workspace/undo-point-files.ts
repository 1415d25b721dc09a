import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256 } from '../../lib/secret.ts'
import { errnoOf } from './errno.ts'
import { jsonOrNull } from '../../lib/parse-json.ts'

export const UndoFile = z.object({
  path: z.string(),
  /** SHA-256 before the edit, `new_file` if there was none, `unknown` if it can't be read. */
  hash: z.string(),
  mode: z.number().nullable(),
  /** Whether the file can be restored. */
  kept: z.boolean(),
  /** SHA-256 of the approved content, if it is known. */
  expected: z.string().nullable(),
  /** The same, ignoring line ends and a final newline. */
  expectedPlain: z.string().nullable(),
  /** Its mode after the edit, if it is known. */
  modeAfter: z.number().nullable().default(null),
  /** Name of the file with its bytes, if that is not its number. */
  stored: z.string().nullable().default(null),
})
export type UndoFile = z.infer<typeof UndoFile>

export const UndoPoint = z.object({
  askId: z.string(),
  sessionId: z.string(),
  at: z.iso.datetime(),
  files: z.array(UndoFile),
  /** Signalbox made the edit itself: `expected` is what it wrote, or `new_file` if it deleted the file. */
  exact: z.boolean().default(false),
  /** Directories that did not exist before, outermost first. */
  directories: z.array(z.string()).default([]),
  undoneAt: z.iso.datetime().nullable().default(null),
})
export type UndoPoint = z.infer<typeof UndoPoint>

const index = 'index.json'

/** A point exists once its index does: contents first, index last, each synced before the next. */
export async function writePoint(
  directory: string,
  contents: ReadonlyMap<number, Uint8Array>,
  point: UndoPoint,
): Promise<void> {
  // Without an index, anything here was left by a crash.
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const [number, bytes] of contents) await writeSynced(join(directory, String(number)), bytes)
  await syncDirectory(directory)
  await writeIndex(directory, point)
  await syncDirectory(join(directory, '..'))
}

/** Replaces the index. */
export async function writeIndex(directory: string, point: UndoPoint): Promise<void> {
  const beside = join(directory, `${index}.tmp`)
  await rm(beside, { force: true })
  await writeSynced(beside, JSON.stringify(point))
  await rename(beside, join(directory, index))
  await syncDirectory(directory)
}

/** Null if there is no complete point. */
export async function readPoint(directory: string): Promise<UndoPoint | null> {
  const text = await readFile(join(directory, index), 'utf8').catch(nullIfMissing)
  return text === null ? null : jsonOrNull(text, UndoPoint)
}

export const readContent = (directory: string, name: string): Promise<Uint8Array | null> =>
  readFile(join(directory, name)).catch(nullIfMissing)

/** Stores further bytes in the point under a name derived from them, and returns the name. */
export async function keepFound(directory: string, bytes: Uint8Array): Promise<string> {
  const name = `found-${sha256(bytes)}`
  const beside = join(directory, `${name}.tmp`)
  await rm(beside, { force: true })
  await writeSynced(beside, bytes)
  await rename(beside, join(directory, name))
  await syncDirectory(directory)
  return name
}

export async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await using handle = await open(path, 'wx', 0o600)
  await handle.writeFile(content)
  await handle.sync()
}

export async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  // Not every file system supports this.
  await handle.sync().catch(() => undefined)
}

export const nullIfMissing = (error: unknown): null => {
  if (errnoOf(error) === 'ENOENT') return null
  throw error
}
