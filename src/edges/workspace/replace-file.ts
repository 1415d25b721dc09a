import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, unlink, rename, rmdir, type FileHandle } from 'node:fs/promises'
import { relative } from 'node:path'
import { ok, type Failed, type Result } from '../../lib/result.ts'
import { changed, type FoundPath, type HeldPaths } from './held-paths.ts'
import { openFile } from './open-file.ts'
import { ifErrno } from './errno.ts'
import { isDirectory, outsideWorkspace, protectedPath, specialFile } from './faults.ts'
import { isInside, reservedPart } from './inside.ts'
import { stagedName } from './staged-name.ts'
import { currentOf, goDown, type Trail } from './walk.ts'
import { protectedPart, standsForNothing } from '../../lib/protected-files.ts'

export type WrittenFile = { path: string; bytes: number; created: boolean }
export type FileAttributes = { mode: number; uid: number; gid: number }

/** Whole or not at all: written to a staged file, then moved to its target. */
export const replaceFile = (paths: HeldPaths, path: string, content: Buffer): Promise<Result<WrittenFile>> =>
  paths.at(path, async (trail, found) => {
    const refused = await checkWritable(paths, trail, path, found.path)
    if (refused !== null) return refused
    if (found.type === 'directory' || path.endsWith('/')) return isDirectory(path)
    if (found.type === 'special') return paths.refuse(path, 'not an ordinary file', specialFile(path))
    const name = await makeParents(trail, found)
    if (name === changed) return changed
    const before = found.type === 'file' ? await attributesOf(paths, trail, path, name) : null
    if (before === changed) return changed
    if (before !== null && 'ok' in before) return before
    return put({ paths, trail, path, name, content, before, found: found.path })
  })

/** Checks a write before people are asked about it. */
export const mayWrite = (paths: HeldPaths, path: string): Promise<Result<{ path: string; exists: boolean }>> =>
  paths.at(path, async (trail, found) => {
    const refused = await checkWritable(paths, trail, path, found.path)
    if (refused !== null) return refused
    if (found.type === 'directory' || path.endsWith('/')) return isDirectory(path)
    if (found.type === 'special') return paths.refuse(path, 'not an ordinary file', specialFile(path))
    return ok({ path: found.path, exists: found.type === 'file' })
  })

/** Null if it may be written. */
export async function checkWritable(
  paths: HeldPaths,
  { root }: Trail,
  path: string,
  real: string,
): Promise<Failed | null> {
  if (!isInside(root.real, real)) return paths.refuse(path, 'moved out of the workspace', outsideWorkspace(path))
  const part = reservedPart(root.real, real)
  return part === null ? null : paths.refuse(path, `writing in ${part}`, protectedPath(path, part))
}

/** Creates missing directories, each in the one held before it, and returns the last name. */
export async function makeParents(
  trail: Trail,
  found: Extract<FoundPath, { type: 'file' | 'missing' }>,
): Promise<string | typeof changed> {
  if (found.type === 'file') return found.name
  const name = found.names.at(-1) ?? found.names[0]
  for (const parent of found.names.slice(0, -1)) {
    if (!isInside(trail.root.real, await currentOf(trail).where())) return changed
    await mkdir(currentOf(trail).entry(parent)).catch(ifErrno(['EEXIST'], undefined))
    if (!(await goDown(trail, parent))) return changed
  }
  return name
}

/** Attributes of the file to replace. Opened for writing, because a rename does not check its permissions. */
export async function attributesOf(
  paths: HeldPaths,
  trail: Trail,
  path: string,
  name: string,
): Promise<FileAttributes | Failed | typeof changed> {
  const file = await openFile(trail, name, constants.O_WRONLY)
  if (file === changed) return changed
  if (file === 'special') return paths.refuse(path, 'not an ordinary file', specialFile(path))
  await file.handle.close()
  return (await checkWritable(paths, trail, path, file.where)) ?? { mode: file.mode, uid: file.uid, gid: file.gid }
}

async function put(input: {
  paths: HeldPaths
  trail: Trail
  path: string
  name: string
  content: Buffer
  before: FileAttributes | null
  found: string
}): Promise<Result<WrittenFile> | typeof changed> {
  const { paths, trail, path, name, content, before } = input
  const current = currentOf(trail)
  // Before each step, because a held directory can still be moved as a whole.
  const refused = await checkWritable(paths, trail, path, await current.where())
  if (refused !== null) return refused
  const beside = stagedName(randomUUID())
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const handle = await open(current.entry(beside), flags, before === null ? 0o666 : 0o600).catch(
    ifErrno(['ENOENT', 'ENOTDIR'], changed),
  )
  if (handle === changed) return changed
  try {
    const where = () => current.locate(handle, beside)
    const refusedFirst = await checkWritable(paths, trail, path, await where())
    if (refusedFirst !== null) return refusedFirst
    await fill(handle, content, before)
    const refusedThen = await checkWritable(paths, trail, path, await where())
    if (refusedThen !== null) return refusedThen
    const staged = { beside, name, bytes: content, mode: before?.mode ?? null, replaces: before !== null }
    if (!(await putInPlace(trail, staged))) return changed
    await syncDirectory(current.entry('.'))
    return ok({ path: input.found, bytes: content.length, created: before === null })
  } finally {
    await handle.close()
    await unlink(current.entry(beside)).catch(() => undefined)
  }
}

export async function fill(handle: FileHandle, content: Buffer, before: FileAttributes | null): Promise<void> {
  await handle.writeFile(content)
  if (before !== null) {
    const now = await handle.stat()
    // Only root can change the owner; for others the owner stays the writer.
    if (now.uid !== before.uid || now.gid !== before.gid)
      await handle.chown(before.uid, before.gid).catch(ifErrno(['EPERM', 'EINVAL'], undefined))
    await handle.chmod(before.mode)
  }
  await handle.sync()
}

/** So that the new name survives a power cut. Not every file system supports it. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

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
