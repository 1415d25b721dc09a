import { lstatSync, statfsSync, type BigIntStats } from 'node:fs'
import { setImmediate as others } from 'node:timers/promises'
import { isSettled } from './file-cache.ts'
import type { WorkspaceState } from './workspace-state.ts'

/**
 * File systems whose directories are known to change their times with every entry that comes or goes, as POSIX demands.
 * Elsewhere every directory is read.
 */
const trusted: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x5846_5342, // XFS
  0x9123_683e, // Btrfs
  0x0102_1994, // tmpfs
  0x2fc1_2fc1, // ZFS
  0xf2f5_2010, // F2FS
  0x794c_7630, // overlayfs
])

const isTrusted = (root: string): boolean => {
  try {
    return process.platform === 'linux' && trusted.has(statfsSync(root).type)
  } catch {
    return false
  }
}

type DirectoryStat = Pick<BigIntStats, 'dev' | 'ino' | 'mode' | 'mtimeNs' | 'ctimeNs'>

/** Empty if it may change without altering this. */
export const directoryFingerprint = (status: DirectoryStat, now: number): string =>
  isSettled(status, now) ? exactly(status) : ''

const exactly = ({ dev, ino, mode, mtimeNs, ctimeNs }: DirectoryStat): string =>
  `${dev} ${ino} ${mode} ${mtimeNs} ${ctimeNs}`

/** So many files are looked at before other work of this thread is done. */
const atOnce = 500

/**
 * Which directories of a workspace may differ from a state, with the directories around them; null if that can't be told.
 * Nothing is opened. A path that was replaced by a link has another inode, so it counts as changed.
 */
export async function changedDirectories(root: string, state: WorkspaceState): Promise<Set<string> | null> {
  const top = lstatSync(root, { bigint: true })
  if (!isTrusted(root)) return null
  const changed = new Set<string>()
  let looked = 0
  for (const { path, fingerprint, names, first } of state.directories.values()) {
    const at = path === '' ? root : `${root}/${path}`
    const status = statusOf(at)
    // Another file system within it may be of another kind.
    const isSame = status !== null && status.dev === top.dev && exactly(status) === fingerprint
    if (!isSame || !areSame(at, names, state.stats, first)) addWithParents(changed, path)
    looked += names.length + 1
    if (looked >= atOnce) {
      looked = 0
      await others()
    }
  }
  return changed
}

function areSame(at: string, names: readonly string[], stats: BigUint64Array, first: number): boolean {
  let index = first * 4
  for (const name of names) {
    const status = statusOf(`${at}/${name}`)
    if (
      status === null ||
      status.ctimeNs !== stats[index + 2] ||
      status.mtimeNs !== stats[index + 1] ||
      status.size !== stats[index] ||
      status.ino !== stats[index + 3]
    )
      return false
    index += 4
  }
  return true
}

function statusOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

export function addWithParents(changed: Set<string>, path: string): void {
  for (let at = path; !changed.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    changed.add(at)
    if (at === '') return
  }
}

/** Directories in which Git ignores something else than before. */
export function addIgnoredElsewhere(changed: Set<string>, before: readonly string[], now: ReadonlySet<string>): void {
  const old = new Set(before)
  for (const path of new Set([...before, ...now])) {
    if (old.has(path) && now.has(path)) continue
    const own = path.endsWith('/') ? path.slice(0, -1) : path
    addWithParents(changed, own.slice(0, Math.max(0, own.lastIndexOf('/'))))
  }
}
