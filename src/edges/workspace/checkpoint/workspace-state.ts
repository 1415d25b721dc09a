/**
 * What the last checkpoint knew of a workspace: its directories, and its files with their stat fingerprints, hashes and
 * blobs. It only saves time, so it is not synced; a checksum finds what a power failure left of it.
 *
 * One file: a JSON head with directories and names, then 128 bytes for each file. 50,000 files take a few milliseconds to
 * read this way, and a tenth of a second as JSON.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { isList, isRecord, isTextList, jsonOrNull } from '../../../lib/parse-json.ts'
import type { CachedFile, FileCache } from './file-cache.ts'

/** A directory that was read. */
export type SeenDirectory = {
  readonly path: string
  /** Empty: it must be read again whatever its times say. */
  readonly fingerprint: string
  /** Null if nothing in it is kept. */
  readonly hash: string | null
  /** Its own files and links that are known. */
  readonly names: readonly string[]
  /** How many of its own files and links are kept. */
  readonly count: number
}

export type WorkspaceState = FileCache & {
  readonly directories: ReadonlyMap<string, SeenDirectory & { readonly first: number }>
  /** What Git ignored; null if unchanged directories can't be told by this state. */
  readonly ignored: readonly string[] | null
  readonly skip: readonly string[]
  /** Size, modification and change time in nanoseconds and inode of each file, by `first` and the order of names. */
  readonly stats: BigUint64Array
  /** The bytes of all files, to be carried over. */
  readonly records: Buffer
}

const file = 'known.state'
const olderFile = 'known.json'
const mark = 0x53_42_57_31
const fixedBytes = 16
/** Four numbers of 8 bytes, a SHA-256, and the id of a blob in up to 64 letters, filled up with zeros. */
const statBytes = 32
const hashBytes = 32
const recordBytes = statBytes + hashBytes + 64

type StoredDirectory = [path: string, fingerprint: string, hash: string | null, count: number, names: string[]]
type StoredHead = {
  last: { tree: string; commit: string } | null
  ignored: string[] | null
  skip: string[]
  directories: StoredDirectory[]
}

const isStored = (value: unknown): value is StoredHead =>
  isRecord(value) &&
  (value['last'] === null || isRecord(value['last'])) &&
  (value['ignored'] === null || isTextList(value['ignored'])) &&
  isTextList(value['skip']) &&
  isList(value['directories'])

/** Null if there is none that can be read. */
export function readState(directory: string): WorkspaceState | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(directory, file))
  } catch {
    return null
  }
  if (bytes.length < fixedBytes || bytes.readUInt32BE(0) !== mark) return null
  const headEnd = fixedBytes + bytes.readUInt32BE(4)
  if (headEnd > bytes.length || crc32(bytes.subarray(fixedBytes)) !== bytes.readUInt32BE(8)) return null
  const head = jsonOrNull(bytes.toString('utf8', fixedBytes, headEnd), isStored)
  if (head === null) return null
  const directories = new Map<string, SeenDirectory & { first: number }>()
  let first = 0
  for (const [path, fingerprint, hash, count, names] of head.directories) {
    directories.set(path, { path, fingerprint, hash, count, names, first })
    first += names.length
  }
  const records = bytes.subarray(headEnd)
  if (records.length !== first * recordBytes) return null
  const files = { get: (path: string) => cachedFile(directories, records, path) }
  const { last, ignored, skip } = head
  return { last, ignored, skip, directories, files, records, stats: statsOf(records, first) }
}

/** In one block of their own, so that they are aligned. */
function statsOf(records: Buffer, count: number): BigUint64Array {
  const stats = new BigUint64Array(count * 4)
  const into = Buffer.from(stats.buffer)
  for (let at = 0; at < count; at++) records.copy(into, at * statBytes, at * recordBytes, at * recordBytes + statBytes)
  return stats
}

const places = new WeakMap<readonly string[], Map<string, number>>()

function cachedFile(directories: WorkspaceState['directories'], records: Buffer, path: string): CachedFile | undefined {
  const slash = path.lastIndexOf('/')
  const directory = directories.get(path.slice(0, Math.max(0, slash)))
  if (directory === undefined) return undefined
  let byName = places.get(directory.names)
  if (byName === undefined) {
    byName = new Map(directory.names.map((name, index) => [name, index]))
    places.set(directory.names, byName)
  }
  const index = byName.get(path.slice(slash + 1))
  if (index === undefined) return undefined
  const at = (directory.first + index) * recordBytes
  const numbers = [0, 8, 16, 24].map((offset) => records.readBigUInt64LE(at + offset))
  const blobAt = at + statBytes + hashBytes
  const blob = records.toString('latin1', blobAt, at + recordBytes).replace(/\0+$/, '')
  return { fingerprint: numbers.join(' '), hash: records.toString('hex', at + statBytes, blobAt), blob }
}

/** Writes the state after a checkpoint. Directories in `carried` are as they were in `before`. */
export function writeState(
  directory: string,
  input: Pick<WorkspaceState, 'last' | 'ignored' | 'skip'> & {
    seen: readonly SeenDirectory[]
    files: ReadonlyMap<string, CachedFile>
    before: WorkspaceState | null
    carried: readonly string[]
  },
): void {
  const { last, ignored, skip, seen, files, before, carried } = input
  const stored: StoredDirectory[] = []
  const pieces: Buffer[] = []
  for (const { path, fingerprint, hash, count, names } of seen) {
    stored.push([path, fingerprint, hash, count, [...names]])
    const records = Buffer.alloc(names.length * recordBytes)
    for (const [index, name] of names.entries())
      writeRecord(records, index * recordBytes, files.get(path === '' ? name : `${path}/${name}`))
    pieces.push(records)
  }
  for (const path of carried) {
    const known = before?.directories.get(path)
    if (before === null || known === undefined) continue
    stored.push([path, known.fingerprint, known.hash, known.count, [...known.names]])
    pieces.push(before.records.subarray(known.first * recordBytes, (known.first + known.names.length) * recordBytes))
  }
  const head: StoredHead = {
    last,
    ignored: ignored === null ? null : [...ignored],
    skip: [...skip],
    directories: stored,
  }
  const headBytes = Buffer.from(JSON.stringify(head))
  const fixed = Buffer.alloc(fixedBytes)
  fixed.writeUInt32BE(mark, 0)
  fixed.writeUInt32BE(headBytes.length, 4)
  // Several megabytes, copied once.
  const content = Buffer.concat([fixed, headBytes, ...pieces])
  content.writeUInt32BE(crc32(content.subarray(fixedBytes)), 8)
  const beside = join(directory, `${file}.${randomUUID()}.tmp`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(beside, content, { flag: 'wx', mode: 0o600 })
    renameSync(beside, join(directory, file))
    rmSync(join(directory, olderFile), { force: true })
  } catch {
    // Without it the next checkpoint takes longer, and is just as good.
    rmSync(beside, { force: true })
    rmSync(join(directory, file), { force: true })
  }
}

function writeRecord(records: Buffer, at: number, known: CachedFile | undefined): void {
  if (known === undefined) throw new Error('a file of a checkpoint has no record')
  for (const [index, number] of known.fingerprint.split(' ').entries())
    records.writeBigUInt64LE(BigInt.asUintN(64, BigInt(number)), at + index * 8)
  records.write(known.hash, at + statBytes, 'hex')
  records.write(known.blob, at + statBytes + hashBytes, 'latin1')
}
