import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { iso, systemClock, type Clock } from '../../lib/clock.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { contentAfter, plainHash, type ShownEdit } from './approved-content.ts'
import { refusedBySystem } from './faults.ts'
import { textOf, type WorkspaceFiles } from './workspace-files.ts'
import {
  keepFound,
  readContent,
  readPoint,
  writeIndex,
  writePoint,
  type UndoFile,
  type UndoPoint,
} from './undo-point-files.ts'

export type { UndoFile, UndoPoint } from './undo-point-files.ts'

export type EditOutcome = 'as_approved' | 'differs' | 'unchanged' | 'unknown'

type KeepRequest = {
  askId: string
  sessionId: string
  files: WorkspaceFiles
  edits: readonly ShownEdit[]
  paths: readonly string[]
}

/** A file that Signalbox itself is about to change, before and after. Null: no file. */
export type ExactEdit = {
  path: string
  before: { bytes: Uint8Array; mode: number } | null
  after: { bytes: Uint8Array; mode: number | null } | null
}

/** Copies of files from before an approved edit, to undo and check it. */
export type UndoStore = {
  /** Keeps the named files. A second call for the same ask changes nothing. The point marks files that can't be kept. */
  keep(input: KeepRequest): Promise<Result<UndoPoint>>
  /** Compares each file with what was approved. */
  compare(askId: string, files: WorkspaceFiles): Promise<{ path: string; outcome: EditOutcome }[]>
  get(askId: string): Promise<UndoPoint | null>
  /** The content of a file before the edit; null if it was not kept, or was new. */
  content(askId: string, path: string): Promise<Uint8Array | null>
  /** Keeps files whose bytes before and after are known, and replaces the point of an earlier attempt. */
  keepExact(input: {
    askId: string
    sessionId: string
    edits: readonly ExactEdit[]
    directories: readonly string[]
  }): Promise<Result<UndoPoint>>
  /** Keeps what others wrote meanwhile, before it is overwritten; with `restore`, an undo restores that. */
  keepFound(input: { askId: string; path: string; bytes: Uint8Array; mode: number; restore: boolean }): Promise<void>
  markUndone(askId: string): Promise<void>
  /** The edit did not happen. */
  drop(askId: string): Promise<void>
}

const mostKept = 64 * 1024 * 1024
const nothing = sha256('')

export function createUndoStore(deps: { directory: string; clock?: Clock }): UndoStore {
  const clock = deps.clock ?? systemClock
  const running = new Map<string, Promise<Result<UndoPoint>>>()
  const directoryOf = (askId: string): string | null =>
    /^[\da-z-]{1,64}$/i.test(askId) ? join(deps.directory, askId) : null

  async function get(askId: string): Promise<UndoPoint | null> {
    const directory = directoryOf(askId)
    return directory === null ? null : readPoint(directory)
  }

  const pointOf = (
    { askId, sessionId }: { askId: string; sessionId: string },
    files: UndoFile[],
    about: { exact: boolean; directories: string[] },
  ): UndoPoint => ({ askId, sessionId, at: iso(clock.now()), files, ...about, undoneAt: null })

  async function keepOnce(directory: string, input: KeepRequest): Promise<Result<UndoPoint>> {
    try {
      const known = await readPoint(directory)
      if (known !== null) return ok(known)
      const contents = new Map<number, Uint8Array>()
      const files: UndoFile[] = []
      let room = mostKept
      for (const [path, edits] of await editsByFile(input)) {
        const { file, bytes } = await capture(input.files, path, edits, room)
        if (bytes !== null) contents.set(files.length, bytes)
        room -= bytes?.length ?? 0
        files.push(file)
      }
      const directories = await missingDirectories(input.files, files)
      const point = pointOf(input, files, { exact: false, directories })
      await writePoint(directory, contents, point)
      return ok(point)
    } catch (error) {
      return refusedBySystem(directory, error)
    }
  }

  return {
    async keep(input) {
      const directory = directoryOf(input.askId)
      if (directory === null) return invalidId
      const keeping = running.get(input.askId) ?? keepOnce(directory, input)
      running.set(input.askId, keeping)
      try {
        return await keeping
      } finally {
        if (running.get(input.askId) === keeping) running.delete(input.askId)
      }
    },
    get,
    async compare(askId, files) {
      const outcomes: { path: string; outcome: EditOutcome }[] = []
      for (const file of (await get(askId))?.files ?? [])
        outcomes.push({ path: file.path, outcome: await outcomeOf(file, files) })
      return outcomes
    },
    async content(askId, path) {
      const directory = directoryOf(askId)
      const point = await get(askId)
      const number = point?.files.findIndex((file) => file.path === path && file.kept) ?? -1
      const file = point?.files[number]
      const bytes = directory === null || !file ? null : await readContent(directory, file.stored ?? String(number))
      return bytes !== null && sha256(bytes) === file?.hash ? bytes : null
    },
    async keepExact({ askId, sessionId, edits, directories }) {
      const directory = directoryOf(askId)
      if (directory === null) return invalidId
      const contents = new Map([...edits.entries()].flatMap(([n, { before }]) => (before ? [[n, before.bytes]] : [])))
      const point = pointOf({ askId, sessionId }, edits.map(exactFile), { exact: true, directories: [...directories] })
      try {
        await writePoint(directory, contents, point)
        return ok(point)
      } catch (error) {
        return refusedBySystem(directory, error)
      }
    },
    async keepFound({ askId, path, bytes, mode, restore }) {
      const directory = directoryOf(askId)
      const point = await get(askId)
      if (directory === null || point === null) return
      const stored = await keepFound(directory, bytes)
      if (!restore) return
      const files = point.files.map((file) =>
        file.path === path ? { ...file, hash: sha256(bytes), mode, kept: true, stored } : file,
      )
      await writeIndex(directory, { ...point, files })
    },
    async markUndone(askId) {
      const directory = directoryOf(askId)
      const point = await get(askId)
      if (directory === null || point === null || point.undoneAt !== null) return
      await writeIndex(directory, { ...point, undoneAt: iso(clock.now()) })
    },
    async drop(askId) {
      const directory = directoryOf(askId)
      if (directory !== null) await rm(directory, { recursive: true, force: true })
    },
  }
}

const invalidId = fail({ kind: 'invalid', code: 'invalid_id', message: 'An undo point needs a valid ask id.' })

const exactFile = ({ path, before, after }: ExactEdit): UndoFile => ({
  path,
  hash: before === null ? 'new_file' : sha256(before.bytes),
  mode: before?.mode ?? null,
  kept: true,
  expected: after === null ? 'new_file' : sha256(after.bytes),
  expectedPlain: null,
  modeAfter: after?.mode ?? null,
  stored: null,
})

/** The directories to create for new files, outermost first. */
async function missingDirectories(workspace: WorkspaceFiles, files: readonly UndoFile[]): Promise<string[]> {
  const missing = new Set<string>()
  for (const { path } of files.filter(({ hash }) => hash === 'new_file'))
    for (let at = dirname(path); !missing.has(at) && at !== dirname(at); at = dirname(at)) {
      const located = await workspace.locate(at)
      if (!located.ok || located.value.exists) break
      missing.add(at)
    }
  return [...missing].toSorted()
}

/** Each file once, by its real path, with its edits in order. A path that can't be resolved keeps its name. */
async function editsByFile({ files, edits, paths }: KeepRequest): Promise<Map<string, ShownEdit[]>> {
  const found = new Map<string, ShownEdit[]>()
  const realPaths = new Map<string, string>()
  for (const path of new Set([...edits.map((edit) => edit.path), ...paths])) {
    const located = await files.locate(path)
    realPaths.set(path, located.ok ? located.value.path : path)
    found.set(realPaths.get(path) ?? path, [])
  }
  for (const edit of edits) found.get(realPaths.get(edit.path) ?? edit.path)?.push(edit)
  return found
}

type CapturedFile = { file: UndoFile; bytes: Uint8Array | null }

async function capture(files: WorkspaceFiles, path: string, edits: ShownEdit[], room: number): Promise<CapturedFile> {
  const read = await files.readBytes(path, room)
  if (read.ok) {
    const { bytes, mode } = read.value
    const after = contentAfter(textOf(bytes), edits)
    return { bytes, file: { path, hash: sha256(bytes), mode, kept: true, ...expectation(after) } }
  }
  if (read.fault.code === 'file_not_found')
    return {
      bytes: null,
      file: { path, hash: 'new_file', mode: null, kept: true, ...expectation(contentAfter(null, edits)) },
    }
  const hash = read.fault.kind === 'too_large' ? await files.hash(path) : null
  return {
    bytes: null,
    file: { path, hash: hash?.ok ? hash.value : 'unknown', mode: null, kept: false, ...expectation(null) },
  }
}

const expectation = (text: string | null) => ({
  modeAfter: null,
  stored: null,
  expected: text === null ? null : sha256(text),
  expectedPlain: text === null ? null : plainHash(text),
})

async function outcomeOf(file: UndoFile, files: WorkspaceFiles): Promise<EditOutcome> {
  const hash = await files.hash(file.path)
  if (!hash.ok || file.hash === 'unknown') return 'unknown'
  // A diff that removes all content may leave an empty file or none.
  const gone = hash.value === 'new_file' && file.hash !== 'new_file'
  if (hash.value === file.expected || (gone && file.expected === nothing)) return 'as_approved'
  if (await matchesApproved(file, files)) return 'as_approved'
  if (hash.value === file.hash) return 'unchanged'
  return file.expected === null ? 'unknown' : 'differs'
}

async function matchesApproved(file: UndoFile, files: WorkspaceFiles): Promise<boolean> {
  if (file.expectedPlain === null) return false
  const read = await files.readBytes(file.path, mostKept)
  const text = read.ok ? textOf(read.value.bytes) : null
  return text !== null && plainHash(text) === file.expectedPlain
}
