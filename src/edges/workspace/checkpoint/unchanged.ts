import { lstatSync, statfsSync, type BigIntStats, type Stats } from 'node:fs'
import { setImmediate as others } from 'node:timers/promises'
import { localFileSystems } from '../../../lib/local-directories.ts'
import { isSettled } from './file-cache.ts'
import type { WorkspaceState } from './workspace-state.ts'

/** Elsewhere every directory is read. */
const isTrusted = (root: string): boolean => {
  try {
    return process.platform === 'linux' && localFileSystems.has(statfsSync(root).type)
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
 * Nothing is opened. `isChanged` is called at the first. A path that was replaced by a link has another inode, so it counts as changed.
 */
export async function changedDirectories(
  root: string,
  state: WorkspaceState,
  isChanged = () => {},
): Promise<Set<string> | null> {
  const top = lstatSync(root, { bigint: true })
  if (!isTrusted(root)) return null
  const changed = new Set<string>()
  let looked = 0
  for (const { path, fingerprint, names, first } of state.directories.values()) {
    const at = path === '' ? root : `${root}/${path}`
    const status = statusOf(at)
    // Another file system within it may be of another kind.
    const isSame = status !== null && status.dev === top.dev && exactly(status) === fingerprint
    if (!isSame || !areSame(at, names, state.stats, first)) {
      if (changed.size === 0) isChanged()
      addWithParents(changed, path)
    }
    looked += names.length + 1
    if (looked >= atOnce) {
      looked = 0
      await others()
    }
  }
  return changed
}

/**
 * Times are compared to the microsecond: status values that are numbers take a third of the time of exact ones. Only files
 * that had not changed for two seconds are in a state, so that no later change can have the same time.
 */
function areSame(at: string, names: readonly string[], stats: BigUint64Array, first: number): boolean {
  const halves = new Uint32Array(stats.buffer, stats.byteOffset, stats.length * 2)
  let index = first * 8
  for (const name of names) {
    const status = fileStatusOf(`${at}/${name}`)
    if (
      status === null ||
      !isSameTime(status.ctimeMs, numberAt(halves, index + 4)) ||
      !isSameTime(status.mtimeMs, numberAt(halves, index + 2)) ||
      status.size !== numberAt(halves, index) ||
      status.ino !== numberAt(halves, index + 6)
    )
      return false
    index += 8
  }
  return true
}

const isSameTime = (milliseconds: number, nanoseconds: number): boolean =>
  Math.abs(milliseconds - nanoseconds / 1e6) < 0.001

/** Numbers of 8 bytes are stored with the lower half first. */
const numberAt = (halves: Uint32Array, index: number): number =>
  (halves[index + 1] ?? 0) * 0x1_0000_0000 + (halves[index] ?? 0)

const noThrow = { throwIfNoEntry: false } as const

function fileStatusOf(path: string): Stats | null {
  try {
    return lstatSync(path, noThrow) ?? null
  } catch {
    return null
  }
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
