import { readFileSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from './packs.ts'
import { isRecord, isTextList, ownJson } from '../../../lib/parse-json.ts'

/** The hash of a file, and its stat fingerprint at that time. `blob`: its id in Git, or empty. */
export type CachedFile = { fingerprint: string; hash: string; blob: string }

/** Stored flat as path, fingerprint, hash and blob in turn, which parses much faster than objects. */
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

/** Empty if it can't be read: that only costs time. */
export function readCache(directory: string): FileCache {
  try {
    const { last, files } = ownJson(readFileSync(join(directory, file), 'utf8'), 'The cache', isStored)
    const known = new Map<string, CachedFile>()
    for (let at = 0; at + 3 < files.length; at += 4) {
      const path = files[at] ?? ''
      known.set(path, { fingerprint: files[at + 1] ?? '', hash: files[at + 2] ?? '', blob: files[at + 3] ?? '' })
    }
    return { last, files: known }
  } catch {
    return emptyCache
  }
}

export function writeCache(directory: string, { last, files }: FileCache): void {
  const flat: string[] = []
  for (const [path, { fingerprint, hash, blob }] of files) flat.push(path, fingerprint, hash, blob)
  const stored: StoredCache = { last, files: flat }
  writeDurably(directory, file, JSON.stringify(stored))
}

export type StatFields = Pick<BigIntStats, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>

export const fingerprintOf = ({ size, mtimeNs, ctimeNs, ino }: StatFields): string =>
  `${size} ${mtimeNs} ${ctimeNs} ${ino}`

const millisecond = 1_000_000n
/** Some file systems round times to two seconds. */
const coarsest = 2000

/**
 * Whether a later change is sure to alter the fingerprint. A file that was just changed may change again within the same
 * timestamp, so it is read again next time.
 */
export const isSettled = ({ mtimeNs, ctimeNs }: Pick<StatFields, 'mtimeNs' | 'ctimeNs'>, now: number): boolean =>
  (mtimeNs > ctimeNs ? mtimeNs : ctimeNs) < BigInt(now - coarsest) * millisecond
