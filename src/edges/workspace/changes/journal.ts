import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { faultKinds, type Fault } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import { nullIfMissing, syncDirectory, writeSynced } from '../undo-point-files.ts'
import { anyJson, jsonOrNull } from '../../../lib/parse-json.ts'

const StepSide = z.object({
  hash: z.string(),
  mode: z.number(),
  masked: z.boolean(),
  /** Position of its bytes in the contents file. */
  offset: z.number(),
  length: z.number(),
})
export type StepSide = z.infer<typeof StepSide>

/** One file before and after the change; null: no file. */
const JournalStep = z.object({ path: z.string(), before: StepSide.nullable(), after: StepSide.nullable() })
export type JournalStep = z.infer<typeof JournalStep>

const JournalIndex = z.object({
  askId: z.string(),
  /** Real path of the workspace, and its mark when its session began. */
  root: z.string(),
  mark: z.string().nullable().optional(),
  forced: z.boolean(),
  steps: z.array(JournalStep),
  /** Directories to create, outermost first. */
  directories: z.array(z.string()),
  /** Returned to the caller when it is done. */
  files: z.array(z.object({ path: z.string(), bytes: z.number() })),
})
export type JournalIndex = z.infer<typeof JournalIndex>

const StoredFault = z.object({
  kind: z.enum(faultKinds),
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
})

/** `back`: why it is being rolled back. `end`: nothing is left to do; a null fault means success. */
export type Journal = {
  directory: string
  index: JournalIndex
  back: Fault | null
  end: { fault: Fault | null } | null
}

export type SideInput = { bytes: Uint8Array; mode: number; masked: boolean }
export type StepInput = { path: string; before: SideInput | null; after: SideInput | null }

/** Writes the contents; a journal is valid only once its index exists. */
export async function beginJournal(directory: string, inputs: readonly StepInput[]): Promise<JournalStep[]> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const parts: Uint8Array[] = []
  let offset = 0
  const side = (input: SideInput | null): StepSide | null => {
    if (input === null) return null
    const { bytes, mode, masked } = input
    const written = { hash: sha256(bytes), mode, masked, offset, length: bytes.length }
    parts.push(bytes)
    offset += bytes.length
    return written
  }
  const steps = inputs.map(({ path, before, after }) => ({ path, before: side(before), after: side(after) }))
  await writeSynced(join(directory, 'contents'), Buffer.concat(parts))
  return steps
}

export async function commitJournal(directory: string, index: JournalIndex): Promise<Journal> {
  await writeMark(directory, 'index.json', index)
  await syncDirectory(join(directory, '..'))
  return { directory, index, back: null, end: null }
}

export async function markBack(journal: Journal, fault: Fault): Promise<Journal> {
  await writeMark(journal.directory, 'back.json', fault)
  return { ...journal, back: fault }
}

export const markEnd = (journal: Journal, fault: Fault | null): Promise<void> =>
  writeMark(journal.directory, 'end.json', { fault })

/** Null if there is no complete journal. */
export async function readJournal(directory: string): Promise<Journal | null> {
  const index = JournalIndex.safeParse(await readMark(directory, 'index.json'))
  if (!index.success) return null
  const back = StoredFault.safeParse(await readMark(directory, 'back.json'))
  const end = z.object({ fault: StoredFault.nullable() }).safeParse(await readMark(directory, 'end.json'))
  return { directory, index: index.data, back: back.data ?? null, end: end.data ?? null }
}

/** Names of journals; those marked as removed are deleted. */
export async function listJournals(directory: string): Promise<string[]> {
  const names = (await readdir(directory).catch(nullIfMissing)) ?? []
  for (const name of names.filter((name) => name.endsWith(gone)))
    await rm(join(directory, name), { recursive: true, force: true })
  return names.filter((name) => !name.endsWith(gone)).toSorted()
}

const gone = '.gone'

/** Renamed first, so that a crash never leaves a journal that looks incomplete. */
export async function removeJournal(directory: string): Promise<void> {
  await rm(`${directory}${gone}`, { recursive: true, force: true })
  const there = await rename(directory, `${directory}${gone}`).then(() => true, nullIfMissing)
  if (there === null) return
  await syncDirectory(join(directory, '..'))
  await rm(`${directory}${gone}`, { recursive: true, force: true })
}

export async function bytesOf({ directory }: Journal, side: StepSide): Promise<Buffer> {
  await using handle = await open(join(directory, 'contents'), 'r')
  const bytes = Buffer.alloc(side.length)
  let read = 0
  while (read < side.length) {
    const { bytesRead } = await handle.read(bytes, read, side.length - read, side.offset + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  if (sha256(bytes) !== side.hash) throw new Error(`The journal ${directory} is damaged.`)
  return bytes
}

async function writeMark(directory: string, name: string, value: unknown): Promise<void> {
  const beside = join(directory, `${name}.tmp`)
  await rm(beside, { force: true })
  await writeSynced(beside, JSON.stringify(value))
  await rename(beside, join(directory, name))
  await syncDirectory(directory)
}

const readMark = async (directory: string, name: string): Promise<unknown> => {
  const text = await readFile(join(directory, name), 'utf8').catch(nullIfMissing)
  return text === null ? null : jsonOrNull(text, anyJson)
}
