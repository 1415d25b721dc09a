import type { BigIntStats } from 'node:fs'

/** The hash of a file, and its stat fingerprint at that time. `blob`: its id in Git, or empty. */
export type CachedFile = { fingerprint: string; hash: string; blob: string }

export type FileCache = {
  /** The last checkpoint in Git. */
  readonly last: { readonly tree: string; readonly commit: string } | null
  readonly files: { get(path: string): CachedFile | undefined }
}

export const emptyCache: FileCache = { last: null, files: new Map() }

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
