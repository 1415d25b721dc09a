import { lstatSync, realpathSync, type BigIntStats } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** File systems of this machine: looking at a directory there can't wait for a network. They also change the times of a directory with every entry that comes or goes, as POSIX demands. */
export const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x5846_5342, // XFS
  0x9123_683e, // Btrfs
  0x0102_1994, // tmpfs
  0x2fc1_2fc1, // ZFS
  0xf2f5_2010, // F2FS
  0x794c_7630, // overlayfs
])

const rememberedMs = 60_000
const mostRemembered = 1000

/** Paths without links, all of whose directories are on such file systems, and until when that is believed. */
const known = new Map<string, number>()

export type Look = { readonly real: string | null; readonly named: BigIntStats | null }

/**
 * Looks at a directory at once if it was found on a file system of this machine less than a minute ago. Passing the work
 * to another thread and back takes ten times as long, but a disk that hangs must not block the server. Null: not known.
 */
export function lookAtOnce(path: string): Look | null {
  const until = known.get(path)
  if (until === undefined) return null
  if (until < performance.now()) {
    known.delete(path)
    return null
  }
  return { real: tried(() => realpathSync.native(path)), named: tried(() => lstatSync(path, { bigint: true })) }
}

function tried<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}

/** Remembers a path that has no links if it and all its parents are on file systems of this machine. */
export async function rememberLocal(path: string): Promise<void> {
  if (process.platform !== 'linux') return
  const types = await Promise.all(withParents(path).map((one) => statfs(one).then(({ type }) => type))).catch(() => [])
  if (types.length === 0 || !types.every((type) => localFileSystems.has(type))) return
  if (known.size >= mostRemembered) known.clear()
  known.set(path, performance.now() + rememberedMs)
}

function withParents(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...withParents(parent)]
}
