import { constants } from 'node:fs'
import { rename, rmdir, unlink } from 'node:fs/promises'
import { relative } from 'node:path'
import { protectedPart, standsForNothing } from '../../lib/protected-files.ts'
import { changed } from './held-paths.ts'
import { openFile } from './open-file.ts'
import { ifErrno } from './errno.ts'
import { currentOf, type Trail } from './walk.ts'

/** Puts what was staged beside a file in its place. False: something else is there by now. */
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
  // What goes wrong on the way is put right by the rename, which has all of the content.
  if (staged.replaces && (await writeThrough(trail, staged).catch(() => false))) {
    await unlink(current.entry(beside)).catch(() => undefined)
    return true
  }
  if (await swap()) return true
  // A name that is held by an empty directory. Nothing else can be removed in this way.
  if (!standsForNothing(name)) return false
  const isFree = await rmdir(current.entry(name)).then(
    () => true,
    () => false,
  )
  return isFree && swap()
}

/**
 * Settings are written where they are: sandboxes show that very file read-only, and a new one in its place would be
 * writable for their agents.
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
  // Another name for it may lie anywhere.
  if ((await handle.stat()).nlink !== 1) return false
  await handle.writeFile(bytes)
  await handle.truncate(bytes.length)
  if (mode !== null && mode !== file.mode) await handle.chmod(mode)
  await handle.sync()
  return true
}
