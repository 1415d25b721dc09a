import type { BigIntStats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { lookAtOnce, rememberLocal, type Look } from './local-directories.ts'

/**
 * Identifies a directory as of when access to it was given: its inode number, creation time and real path. The device
 * number replaces a creation time that the file system lacks; it changes when a machine restarts.
 */
export type DirectoryMark = string

export const identityOf = ({ ino, dev, birthtimeNs }: Pick<BigIntStats, 'ino' | 'dev' | 'birthtimeNs'>): string =>
  birthtimeNs === 0n ? `${ino}/${dev}` : `${ino}@${birthtimeNs}`

const identify = (path: string) => lstat(path, { bigint: true }).catch(() => null)

async function look(path: string): Promise<Look> {
  const seen = lookAtOnce(path)
  if (seen) return seen
  // Most paths have no links: then one wait for the disk is enough.
  const [real, named] = await Promise.all([realpath(path).catch(() => null), identify(path)])
  if (real === path) void rememberLocal(path)
  return { real, named }
}

/** Null if there is no such directory. If `byPath` accepts it, the directory may be deleted and created again. */
export async function markDirectory(
  path: string,
  byPath: (real: string) => boolean | Promise<boolean> = () => false,
): Promise<DirectoryMark | null> {
  const { real, named } = await look(path)
  const found = real === null || real === path ? named : await identify(real)
  return real !== null && found?.isDirectory() ? `${(await byPath(real)) ? '' : identityOf(found)} ${real}` : null
}

/** The expected path and identity. Without a mark only the path is known, which then must not contain links. */
export function expectedOf(path: string, mark: DirectoryMark | null): { real: string; identity: string | null } {
  const space = mark?.indexOf(' ') ?? -1
  if (mark === null || space === -1) return { real: resolve(path), identity: null }
  return { real: mark.slice(space + 1), identity: mark.slice(0, space) || null }
}

/** Whether a path still leads to the same directory. */
export async function lookAgain(path: string, mark: DirectoryMark | null): Promise<'same' | 'missing' | 'replaced'> {
  const expected = expectedOf(path, mark)
  const { real, named } = await look(path)
  if (real === null) return named?.isSymbolicLink() ? 'replaced' : 'missing'
  if (real !== expected.real) return 'replaced'
  const found = real === path ? named : await identify(real)
  if (found === null) return 'missing'
  return found.isDirectory() && (expected.identity === null || expected.identity === identityOf(found))
    ? 'same'
    : 'replaced'
}
