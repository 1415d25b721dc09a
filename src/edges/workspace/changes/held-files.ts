import { constants } from 'node:fs'
import { open, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ok, type Failed, type Result } from '../../../lib/result.ts'
import { changed, type FoundPath, type HeldPaths } from '../held-paths.ts'
import { openFile, readAll } from '../open-file.ts'
import { ifErrno } from '../errno.ts'
import { isDirectory, specialFile } from '../faults.ts'
import {
  putInPlace,
  fill,
  checkWritable,
  attributesOf,
  makeParents,
  syncDirectory,
  type FileAttributes,
} from '../replace-file.ts'
import { currentOf, type Trail } from '../walk.ts'
import { patchConflict, relativeTo } from './faults.ts'

/** The bytes and mode of a file; null if there is none. */
export type FileState = { bytes: Buffer; mode: number } | null

export type SeenFile = { path: string; state: FileState; missingParents: string[] }

/** New content for a file. `masked`: a new file, whose mode is subject to the umask. */
export type NewContent = { bytes: Buffer; mode: number; masked: boolean }

export const largestFile = 64 * 1024 * 1024

/** A regular file that may be written, or a path where one may be created. */
export const seeFile = (paths: HeldPaths, path: string): Promise<Result<SeenFile>> =>
  paths.at<SeenFile>(path, async (trail, found) => {
    const refused = await checkTarget(paths, trail, path, found)
    if (refused !== null) return refused
    if (found.type === 'missing') return ok({ path: found.path, state: null, missingParents: parentsOf(found) })
    if (found.type !== 'file') return changed
    const state = await readEntry(paths, trail, path, found.name)
    if (state === changed) return changed
    return state.ok ? ok({ path: found.path, state: state.value, missingParents: [] }) : state
  })

/** Writes new content to a file beside its target, so that a full disk is noticed before anything changes. */
export const stageFile = (
  paths: HeldPaths,
  input: { path: string; beside: string; content: NewContent },
): Promise<Result<void>> =>
  paths.at(input.path, async (trail, found) => {
    const place = await enterParent(paths, trail, input.path, found)
    if (place === changed || 'ok' in place) return place
    const staged = await writeBeside(paths, trail, { ...input, before: place.before })
    return staged === changed || !staged.ok ? staged : ok(undefined)
  })

/** Moves a staged file to its target, if `check` accepts the current state. */
export const swapIn = (
  paths: HeldPaths,
  input: { path: string; beside: string; content: NewContent; check(state: FileState): Promise<Failed | null> },
): Promise<Result<void>> =>
  paths.at(input.path, async (trail, found) => {
    const place = await enterParent(paths, trail, input.path, found)
    if (place === changed || 'ok' in place) return place
    const current = currentOf(trail)
    const staged = await isStaged(trail, input.beside, input.content.bytes)
    if (!staged) {
      const again = await writeBeside(paths, trail, { ...input, before: place.before })
      if (again === changed || !again.ok) return again
    }
    const state = place.before === null ? ok(null) : await readEntry(paths, trail, input.path, place.name)
    if (state === changed || !state.ok) return state
    const refused =
      (await input.check(state.value)) ?? (await checkWritable(paths, trail, input.path, await current.where()))
    if (refused !== null) return refused
    const { bytes, mode, masked } = input.content
    const ready = { beside: input.beside, name: place.name, bytes, mode: masked ? null : mode }
    if (!(await putInPlace(trail, { ...ready, replaces: place.before !== null }))) return changed
    await syncDirectory(current.entry('.'))
    return ok(undefined)
  })

export const removeFile = (
  paths: HeldPaths,
  input: { path: string; check(state: FileState): Promise<Failed | null> },
): Promise<Result<void>> =>
  paths.at(input.path, async (trail, found) => {
    const refused = (await checkTarget(paths, trail, input.path, found)) ?? ledElsewhere(trail, input.path, found)
    if (refused !== null) return refused
    if (found.type === 'missing') return (await input.check(null)) ?? ok(undefined)
    if (found.type !== 'file') return changed
    const state = await readEntry(paths, trail, input.path, found.name)
    if (state === changed || !state.ok) return state
    const current = currentOf(trail)
    const stopped =
      (await input.check(state.value)) ?? (await checkWritable(paths, trail, input.path, await current.where()))
    if (stopped !== null) return stopped
    await unlink(current.entry(found.name))
    await syncDirectory(current.entry('.'))
    return ok(undefined)
  })

/** Removes a staged file; no other file has such a name. */
export const clearStaged = (paths: HeldPaths, path: string, beside: string): Promise<Result<void>> =>
  paths.at(dirname(path), async (trail, found) => {
    if (found.type !== 'directory' || (await checkWritable(paths, trail, path, found.path)) !== null)
      return ok(undefined)
    await unlink(currentOf(trail).entry(beside)).catch(ifErrno(['ENOENT', 'EISDIR', 'EPERM'], undefined))
    return ok(undefined)
  })

/** Removes a directory if it is empty. */
export const removeEmpty = (paths: HeldPaths, path: string): Promise<Result<void>> =>
  paths.at(dirname(path), async (trail, found) => {
    if (found.type !== 'directory' || found.path !== dirname(path)) return ok(undefined)
    const refused = await checkWritable(paths, trail, path, await currentOf(trail).where())
    if (refused !== null) return refused
    await rmdir(currentOf(trail).entry(basename(path))).catch(
      ifErrno(['ENOENT', 'ENOTEMPTY', 'ENOTDIR', 'EEXIST', 'EBUSY'], undefined),
    )
    return ok(undefined)
  })

type WritableEntry = { name: string; before: FileAttributes | null }

async function enterParent(
  paths: HeldPaths,
  trail: Trail,
  path: string,
  found: FoundPath,
): Promise<WritableEntry | Failed | typeof changed> {
  const refused = (await checkTarget(paths, trail, path, found)) ?? ledElsewhere(trail, path, found)
  if (refused !== null) return refused
  if (found.type !== 'file' && found.type !== 'missing') return changed
  const name = await makeParents(trail, found)
  if (name === changed) return changed
  const before = found.type === 'file' ? await attributesOf(paths, trail, path, name) : null
  if (before === changed || (before !== null && 'ok' in before)) return before
  return { name, before }
}

async function checkTarget(paths: HeldPaths, trail: Trail, path: string, found: FoundPath): Promise<Failed | null> {
  const refused = await checkWritable(paths, trail, path, found.path)
  if (refused !== null) return refused
  if (found.type === 'directory' || path.endsWith('/')) return paths.refuse(path, 'a directory', isDirectory(path))
  return found.type === 'special' ? paths.refuse(path, 'not an ordinary file', specialFile(path)) : null
}

/** The path had no links when it was planned, and must still have none. */
const ledElsewhere = (trail: Trail, path: string, found: FoundPath): Failed | null =>
  found.path === path ? null : patchConflict([{ path: relativeTo(trail.root.real, path), why: 'now points elsewhere' }])

async function readEntry(
  paths: HeldPaths,
  trail: Trail,
  path: string,
  name: string,
): Promise<Result<NonNullable<FileState>> | typeof changed> {
  const file = await openFile(trail, name, constants.O_RDONLY)
  if (file === changed) return changed
  if (file === 'special') return paths.refuse(path, 'not an ordinary file', specialFile(path))
  await using _ = file.handle
  const refused = await checkWritable(paths, trail, path, file.where)
  if (refused !== null) return refused
  const bytes = await readAll(file, path, largestFile)
  return bytes.ok ? ok({ bytes: bytes.value, mode: file.mode }) : bytes
}

async function isStaged(trail: Trail, beside: string, bytes: Buffer): Promise<boolean> {
  const file = await openFile(trail, beside, constants.O_RDONLY)
  if (file === changed || file === 'special') return false
  await using _ = file.handle
  const read = await readAll(file, beside, largestFile)
  return read.ok && read.value.equals(bytes)
}

async function writeBeside(
  paths: HeldPaths,
  trail: Trail,
  input: { path: string; beside: string; content: NewContent; before: FileAttributes | null },
): Promise<Result<void> | typeof changed> {
  const { path, beside, content, before } = input
  const current = currentOf(trail)
  const refused = await checkWritable(paths, trail, path, await current.where())
  if (refused !== null) return refused
  await unlink(current.entry(beside)).catch(ifErrno(['ENOENT'], undefined))
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const handle = await open(current.entry(beside), flags, content.masked ? content.mode : 0o600).catch(
    ifErrno(['ENOENT', 'ENOTDIR'], changed),
  )
  if (handle === changed) return changed
  try {
    const strayed = await checkWritable(paths, trail, path, await current.locate(handle, beside))
    if (strayed !== null) {
      await unlink(current.entry(beside)).catch(() => undefined)
      return strayed
    }
    const owner = before ?? (await handle.stat())
    await fill(handle, content.bytes, content.masked ? null : { uid: owner.uid, gid: owner.gid, mode: content.mode })
    return ok(undefined)
  } catch (error) {
    await unlink(current.entry(beside)).catch(() => undefined)
    throw error
  } finally {
    await handle.close()
  }
}

/** The real paths of the directories to create. */
function parentsOf({ path, names }: Extract<FoundPath, { type: 'missing' }>): string[] {
  const parents: string[] = []
  for (let at = dirname(path), left = names.length - 1; left > 0; left -= 1, at = dirname(at)) parents.unshift(at)
  return parents
}
