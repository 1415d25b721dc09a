import { readFileSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from './packs.ts'
import { isRecord, isTextList, ownJson } from '../../../lib/parse-json.ts'

/** What was read of a file, and what it looked like from outside then. `blob` is its name in Git; empty: not there. */
export type CachedFile = { sign: string; hash: string; blob: string }

/** Written flat: path, sign, hash and blob by turns, which is read many times quicker than objects. */
type StoredCache = { last: { tree: string; commit: string } | null; files: string[] }

export type FileCache = {
  /** The last checkpoint in Git. */
  last: { tree: string; commit: string } | null
  files: ReadonlyMap<string, CachedFile>
}

const file = 'known.json'
export const emptyCache: FileCache = { last: null, files: new Map() }

const isStored = (value: unknown): value is StoredCache =>
  isRecord(value) && isTextList(value['files']) && (value['last'] === null || isRecord(value['last']))

/** A cache that can't be read costs time, nothing else. */
export function readCache(directory: string): FileCache {
  try {
    const { last, files } = ownJson(readFileSync(join(directory, file), 'utf8'), 'The cache', isStored)
    const known = new Map<string, CachedFile>()
    for (let at = 0; at + 3 < files.length; at += 4) {
      const path = files[at] ?? ''
      known.set(path, { sign: files[at + 1] ?? '', hash: files[at + 2] ?? '', blob: files[at + 3] ?? '' })
    }
    return { last, files: known }
  } catch {
    return emptyCache
  }
}

export function writeCache(directory: string, { last, files }: FileCache): void {
  const flat: string[] = []
  for (const [path, { sign, hash, blob }] of files) flat.push(path, sign, hash, blob)
  const stored: StoredCache = { last, files: flat }
  writeDurably(directory, file, JSON.stringify(stored))
}

export type StatFields = Pick<BigIntStats, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>

export const fingerprintOf = ({ size, mtimeNs, ctimeNs, ino }: StatFields): string =>
  `${size} ${mtimeNs} ${ctimeNs} ${ino}`

const millisecond = 1_000_000n
/** File systems round the time, some to two seconds. */
const coarsest = 2000

/**
 * Whether a later change is sure to show in the signs. A file that was changed in the same instant as it was read may be
 * changed once more without a new time, so what is that young is read again next time.
 */
export const isSettled = ({ mtimeNs, ctimeNs }: Pick<StatFields, 'mtimeNs' | 'ctimeNs'>, now: number): boolean =>
  (mtimeNs > ctimeNs ? mtimeNs : ctimeNs) < BigInt(now - coarsest) * millisecond
