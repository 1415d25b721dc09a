import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256 } from '../../lib/secret.ts'
import { errnoOf } from './errno.ts'

export const UndoFile = z.object({
  path: z.string(),
  /** SHA-256 before the edit, `new_file` where there was none, `unknown` where it can't be read. */
  hash: z.string(),
  mode: z.number().nullable(),
  /** Whether the file can be put back as it was. */
  kept: z.boolean(),
  /** SHA-256 of what was approved, where it can be known. */
  expected: z.string().nullable(),
  /** The same without regard to line ends and a final newline. */
  expectedPlain: z.string().nullable(),
  /** Its mode after the edit, where it can be known. */
  modeAfter: z.number().nullable().default(null),
  /** Under which name its bytes are kept, where not under its number. */
  stored: z.string().nullable().default(null),
})
export type UndoFile = z.infer<typeof UndoFile>

export const UndoPoint = z.object({
  askId: z.string(),
  sessionId: z.string(),
  at: z.iso.datetime(),
  files: z.array(UndoFile),
  /** Signalbox made the edit itself: `expected` is what it wrote, `new_file` where it deleted. */
  exact: z.boolean().default(false),
  /** Directories that were not there before, outermost first. */
  directories: z.array(z.string()).default([]),
  undoneAt: z.iso.datetime().nullable().default(null),
})
export type UndoPoint = z.infer<typeof UndoPoint>

const index = 'index.json'

/** A point is there once its index is: contents first, index last, each on the disk before the next. */
export async function writePoint(
  directory: string,
  contents: ReadonlyMap<number, Uint8Array>,
  point: UndoPoint,
): Promise<void> {
  // Whatever a crash left here has no index, so nobody relies on it.
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const [number, bytes] of contents) await writeSynced(join(directory, String(number)), bytes)
  await syncDirectory(directory)
  await writeIndex(directory, point)
  await syncDirectory(join(directory, '..'))
}

/** Puts a new index in the place of the one that is there. */
export async function writeIndex(directory: string, point: UndoPoint): Promise<void> {
  const beside = join(directory, `${index}.tmp`)
  await rm(beside, { force: true })
  await writeSynced(beside, JSON.stringify(point))
  await rename(beside, join(directory, index))
  await syncDirectory(directory)
}

/** Null where there is no whole point. */
export async function readPoint(directory: string): Promise<UndoPoint | null> {
  const text = await readFile(join(directory, index), 'utf8').catch(nullIfMissing)
  if (text === null) return null
  const parsed = UndoPoint.safeParse(jsonOf(text))
  return parsed.success ? parsed.data : null
}

export const readContent = (directory: string, name: string): Promise<Uint8Array | null> =>
  readFile(join(directory, name)).catch(nullIfMissing)

/** Keeps bytes beside those of the point, under a name made of them, and gives it. */
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
  // Not every file system can sync a directory.
  await handle.sync().catch(() => undefined)
}

export const nullIfMissing = (error: unknown): null => {
  if (errnoOf(error) === 'ENOENT') return null
  throw error
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
