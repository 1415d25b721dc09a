import type { BigIntStats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'

/**
 * What a directory was when somebody was let into it: its number on the disk and its real path. With the time it was
 * made, if the file system keeps that: numbers of devices change when a machine starts again.
 */
export type DirectoryMark = string

export const identityOf = ({ ino, dev, birthtimeNs }: Pick<BigIntStats, 'ino' | 'dev' | 'birthtimeNs'>): string =>
  birthtimeNs === 0n ? `${ino}/${dev}` : `${ino}@${birthtimeNs}`

/** Null if there is no such directory. One that is `byPath` may be removed and made again in its place. */
export async function markDirectory(
  path: string,
  byPath: (real: string) => boolean = () => false,
): Promise<DirectoryMark | null> {
  const real = await realpath(path).catch(() => null)
  const found = real === null ? null : await lstat(real, { bigint: true }).catch(() => null)
  return real !== null && found?.isDirectory() ? `${byPath(real) ? '' : identityOf(found)} ${real}` : null
}

/** Where it has to be, and what. Of a directory without a mark only its path is known, which then has to be free of links. */
export function expectedOf(path: string, mark: DirectoryMark | null): { real: string; identity: string | null } {
  const space = mark?.indexOf(' ') ?? -1
  if (mark === null || space === -1) return { real: resolve(path), identity: null }
  return { real: mark.slice(space + 1), identity: mark.slice(0, space) || null }
}

/** Whether a path still leads to the directory it led to. */
export async function lookAgain(path: string, mark: DirectoryMark | null): Promise<'same' | 'missing' | 'replaced'> {
  const expected = expectedOf(path, mark)
  const real = await realpath(path).catch(() => null)
  if (real === null) return (await lstat(path).catch(() => null))?.isSymbolicLink() ? 'replaced' : 'missing'
  if (real !== expected.real) return 'replaced'
  const found = await lstat(real, { bigint: true }).catch(() => null)
  if (found === null) return 'missing'
  return found.isDirectory() && (expected.identity === null || expected.identity === identityOf(found))
    ? 'same'
    : 'replaced'
}
