import { constants } from 'node:fs'
import { rename, rmdir, unlink } from 'node:fs/promises'
import { relative } from 'node:path'
import { protectedPart, standsForNothing } from '../../lib/protected-files.ts'
import { changed } from './held-paths.ts'
import { openFile } from './open-file.ts'
import { ifErrno } from './errno.ts'
import { currentOf, type Trail } from './walk.ts'

/** Moves a staged file to its target. False: something else is there now. */
export async function putInPlace(
  trail: Trail,
  staged: { beside: string; name: string; bytes: Buffer; mode: number | null; replaces: boolean },
): Promise<boolean> {
  const { beside, name } = staged
  const current = currentOf(trail)
  const swap = (): Promise<boolean> =>
    rename(current.entry(beside), current.entry(name)).then(
      () => true,
      ifErrno(['EISDIR', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'], false),
    )
  // If that fails halfway, the rename repairs it: the staged file has the whole content.
  if (staged.replaces && (await writeThrough(trail, staged).catch(() => false))) {
    await unlink(current.entry(beside)).catch(() => undefined)
    return true
  }
  if (await swap()) return true
  // The name may be held by an empty directory; rmdir can't remove anything else.
  if (!standsForNothing(name)) return false
  const isFree = await rmdir(current.entry(name)).then(
    () => true,
    () => false,
  )
  return isFree && swap()
}

/**
 * Protected files are written in place: sandboxes mount that file read-only, and a new file would be writable for their
 * agents.
 */
async function writeThrough(
  trail: Trail,
  { name, bytes, mode }: { name: string; bytes: Buffer; mode: number | null },
): Promise<boolean> {
  const where = await currentOf(trail).where()
  if (protectedPart(relative(trail.root.real, `${where}/${name}`)) === null) return false
  const file = await openFile(trail, name, constants.O_WRONLY)
  if (file === changed || file === 'special') return false
  await using handle = file.handle
  // A hard link to it may be anywhere.
  if ((await handle.stat()).nlink !== 1) return false
  await handle.writeFile(bytes)
  await handle.truncate(bytes.length)
  if (mode !== null && mode !== file.mode) await handle.chmod(mode)
  await handle.sync()
  return true
}
