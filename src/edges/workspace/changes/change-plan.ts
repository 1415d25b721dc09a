import { resolve } from 'node:path'
import { ok, type Failed, type Result } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import type { HeldPaths } from '../held-paths.ts'
import { invalidDiff, readDiff, readsAsDiff, type FileChange } from '../../../lib/diff/read-diff.ts'
import { asChangeFault, patchConflict, relativeTo, type FileProblem } from './faults.ts'
import { seeFile, type NewContent, type SeenFile } from './held-files.ts'
import { applyHunks, keepShape } from './hunks.ts'

/** The current state of every file in a diff, `file_path` first. */
export type DiffFiles = { root: string; changes: PlacedChange[]; seen: Map<string, SeenFile> }
type PlacedChange = Omit<FileChange, 'from' | 'to'> & { from: string | null; to: string | null; whole: string | null }

export type PlannedFile = {
  path: string
  before: NewContent | null
  after: NewContent | null
  missingParents: string[]
}

const mostFiles = 1000

/** Reads the diff and every file in it. Writes nothing. */
export async function lookAtFiles(
  paths: HeldPaths,
  input: { filePath: string; diff: string },
): Promise<Result<DiffFiles>> {
  if (!input.diff.isWellFormed()) return invalidDiff('it contains half a character (an unpaired surrogate).')
  const main = await seeFile(paths, input.filePath)
  if (!main.ok) return asChangeFault(main, input.filePath)
  const seen = new Map([[main.value.path, main.value]])
  if (!readsAsDiff(input.diff)) {
    const change = { from: null, to: main.value.path, copy: false, executable: null, hunks: [], crlf: false }
    const root = await paths.root()
    return root.ok ? ok({ root: root.value, changes: [{ ...change, whole: latin1(input.diff) }], seen }) : root
  }
  const root = await paths.root()
  if (!root.ok) return root
  const changes = readings(input, [main.value.path, resolve(root.value, input.filePath)], root.value)
  if (!changes.ok) return changes
  const placed = await placeChanges(paths, changes.value, new Map([[input.filePath, main.value]]))
  if (!placed.ok) return placed
  if (!placed.value.seen.has(main.value.path)) return notInDiff(input.filePath, changes.value)
  return ok({ ...placed.value, seen: new Map([...seen, ...placed.value.seen]), root: root.value })
}

/** Strips a/ and b/ from names, unless `file_path` only matches with them. */
function readings(input: { diff: string }, wanted: readonly string[], root: string): Result<FileChange[]> {
  const bare = readDiff(input.diff, true)
  if (!bare.ok) return bare
  const names = (changes: readonly FileChange[]): boolean =>
    changes.some(({ from, to }) => [from, to].some((name) => name !== null && wanted.includes(resolve(root, name))))
  if (names(bare.value)) return bare
  const plain = readDiff(input.diff, false)
  return plain.ok && names(plain.value) ? plain : bare
}

async function placeChanges(
  paths: HeldPaths,
  changes: readonly FileChange[],
  known: Map<string, SeenFile>,
): Promise<Result<Omit<DiffFiles, 'root'>>> {
  if (changes.length > mostFiles) return invalidDiff(`it is about more than ${mostFiles} files.`)
  const seen = new Map<string, SeenFile>()
  const placed: PlacedChange[] = []
  const find = async (name: string | null): Promise<Result<string | null>> => {
    if (name === null) return ok(null)
    const before = known.get(name)
    const found = before === undefined ? await seeFile(paths, name) : ok(before)
    if (!found.ok) return asChangeFault(found, name)
    known.set(name, found.value)
    seen.set(found.value.path, found.value)
    return ok(found.value.path)
  }
  for (const change of changes) {
    const from = await find(change.from)
    if (!from.ok) return from
    const to = await find(change.to)
    if (!to.ok) return to
    placed.push({ ...change, from: from.value, to: to.value, whole: null })
  }
  return ok({ changes: placed, seen })
}

/** The result for every file, computed before anything is written. */
export function planChanges(sight: DiffFiles): Result<PlannedFile[]> {
  const { root, changes, seen } = sight
  const twice = namedTwice(changes)
  if (twice !== null) return invalidDiff(`it changes ${relativeTo(root, twice)} twice.`)
  const leaving = new Set(
    changes.flatMap(({ from, to, copy }) => (from !== null && from !== to && !copy ? [from] : [])),
  )
  const results = new Map<string, NewContent | null>([...leaving].map((path) => [path, null]))
  const troubles: FileProblem[] = []
  for (const change of changes) {
    const result = resultOf(change, sight, leaving)
    if (!result.ok) troubles.push({ path: relativeTo(root, change.to ?? change.from ?? ''), why: result.why })
    else if (change.to !== null) results.set(change.to, result.content)
  }
  if (troubles.length > 0) return patchConflict(troubles)
  return ok([...results].map(([path, after]) => plannedOf(path, seen.get(path), after)))
}

/** Each file may be a source once and a target once; a change in place is both. */
function namedTwice(changes: readonly PlacedChange[]): string | null {
  const [used, made] = [new Set<string>(), new Set<string>()]
  for (const { from, to, copy } of changes) {
    if (to !== null && made.has(to)) return to
    if (from !== null && !copy && used.has(from)) return from
    if (to !== null) made.add(to)
    if (from !== null && !copy) used.add(from)
  }
  return null
}

type PlanResult = { ok: true; content: NewContent } | { ok: false; why: string }

function resultOf(change: PlacedChange, { seen }: DiffFiles, leaving: ReadonlySet<string>): PlanResult {
  const source = change.from === null ? null : (seen.get(change.from)?.state ?? null)
  const target = change.to === null || leaving.has(change.to) ? null : (seen.get(change.to)?.state ?? null)
  if (change.whole !== null) {
    const text = keepShape(target?.bytes.toString('latin1') ?? '', change.whole)
    return { ok: true, content: contentOf(text, target?.mode ?? null, null) }
  }
  if (change.from !== null && source === null) return { ok: false, why: 'does not exist' }
  if (change.from !== change.to && target !== null && (source !== null || target.bytes.length > 0))
    return { ok: false, why: 'already exists' }
  const after = applyHunks(source?.bytes.toString('latin1') ?? '', change.hunks, change.crlf)
  if (after === null) return { ok: false, why: 'does not contain the lines of the diff' }
  if (change.to === null && after !== '') return { ok: false, why: 'has more lines than the diff deletes' }
  return { ok: true, content: contentOf(after, (source ?? target)?.mode ?? null, change.executable) }
}

function plannedOf(path: string, seen: SeenFile | undefined, after: NewContent | null): PlannedFile {
  const state = seen?.state ?? null
  const before = state === null ? null : { ...state, masked: false }
  return { path, before, after, missingParents: seen?.missingParents ?? [] }
}

/** Execute bits follow read bits, as in a Git checkout. */
function contentOf(text: string, mode: number | null, executable: boolean | null): NewContent {
  const bytes = Buffer.from(text, 'latin1')
  if (mode === null) return { bytes, mode: executable ? 0o777 : 0o666, masked: true }
  const kept = executable === null ? mode : executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
  return { bytes, mode: kept, masked: false }
}

export const hashOf = ({ state }: SeenFile): string => (state === null ? 'new_file' : sha256(state.bytes))

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const notInDiff = (path: string, changes: readonly FileChange[]): Failed => {
  const names = changes.flatMap(({ from, to }) => to ?? from ?? []).slice(0, 10)
  return invalidDiff(`file_path ${path} is not one of its files (${names.join(', ')}).`.replaceAll(/\p{Cc}/gu, '�'))
}
