import { constants } from 'node:fs'
import { open, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ok, type Failed, type Result } from '../../../lib/result.ts'
import { changed, type Found, type Paths } from '../held-paths.ts'
import { openFile, readAll } from '../open-file.ts'
import { unless } from '../errno.ts'
import { isDirectory, specialFile } from '../faults.ts'
import { putInPlace } from '../put-in-place.ts'
import { fill, judge, lookAt, makeParents, syncDirectory, type Before } from '../replace-file.ts'
import { currentOf, type Trail } from '../walk.ts'
import { patchConflict, relativeTo } from './faults.ts'

/** A file as it is: its bytes and mode; null where there is none. */
export type State = { bytes: Buffer; mode: number } | null

export type Seen = { path: string; state: State; missingParents: string[] }

/** What is to stand in a file's place. `masked`: a new file, whose mode is cut by the system's mask. */
export type Content = { bytes: Buffer; mode: number; masked: boolean }

export const most = 64 * 1024 * 1024

/** An ordinary file that may be written to, or the place for one. */
export const seeFile = (paths: Paths, path: string): Promise<Result<Seen>> =>
  paths.at<Seen>(path, async (trail, found) => {
    const refused = await judgePlace(paths, trail, path, found)
    if (refused !== null) return refused
    if (found.type === 'missing') return ok({ path: found.path, state: null, missingParents: parentsOf(found) })
    if (found.type !== 'file') return changed
    const state = await readIn(paths, trail, path, found.name)
    if (state === changed) return changed
    return state.ok ? ok({ path: found.path, state: state.value, missingParents: [] }) : state
  })

/** Writes the new content beside its place, so that a full disk shows before anything is changed. */
export const stageFile = (
  paths: Paths,
  input: { path: string; beside: string; content: Content },
): Promise<Result<void>> =>
  paths.at(input.path, async (trail, found) => {
    const place = await enterPlace(paths, trail, input.path, found)
    if (place === changed || 'ok' in place) return place
    const staged = await writeBeside(paths, trail, { ...input, before: place.before })
    return staged === changed || !staged.ok ? staged : ok(undefined)
  })

/** Puts what was staged in its place, if the file is still as `isAsBefore` wants it. */
export const swapIn = (
  paths: Paths,
  input: { path: string; beside: string; content: Content; check(state: State): Promise<Failed | null> },
): Promise<Result<void>> =>
  paths.at(input.path, async (trail, found) => {
    const place = await enterPlace(paths, trail, input.path, found)
    if (place === changed || 'ok' in place) return place
    const current = currentOf(trail)
    const staged = await isStaged(trail, input.beside, input.content.bytes)
    if (!staged) {
      const again = await writeBeside(paths, trail, { ...input, before: place.before })
      if (again === changed || !again.ok) return again
    }
    const state = place.before === null ? ok(null) : await readIn(paths, trail, input.path, place.name)
    if (state === changed || !state.ok) return state
    const refused = (await input.check(state.value)) ?? (await judge(paths, trail, input.path, await current.where()))
    if (refused !== null) return refused
    const { bytes, mode, masked } = input.content
    const ready = { beside: input.beside, name: place.name, bytes, mode: masked ? null : mode }
    if (!(await putInPlace(trail, { ...ready, replaces: place.before !== null }))) return changed
    await syncDirectory(current.entry('.'))
    return ok(undefined)
  })

export const removeFile = (
  paths: Paths,
  input: { path: string; check(state: State): Promise<Failed | null> },
): Promise<Result<void>> =>
  paths.at(input.path, async (trail, found) => {
    const refused = (await judgePlace(paths, trail, input.path, found)) ?? ledElsewhere(trail, input.path, found)
    if (refused !== null) return refused
    if (found.type === 'missing') return (await input.check(null)) ?? ok(undefined)
    if (found.type !== 'file') return changed
    const state = await readIn(paths, trail, input.path, found.name)
    if (state === changed || !state.ok) return state
    const current = currentOf(trail)
    const stopped = (await input.check(state.value)) ?? (await judge(paths, trail, input.path, await current.where()))
    if (stopped !== null) return stopped
    await unlink(current.entry(found.name))
    await syncDirectory(current.entry('.'))
    return ok(undefined)
  })

/** Removes what staging left, wherever it got to; nothing else has such a name. */
export const clearStaged = (paths: Paths, path: string, beside: string): Promise<Result<void>> =>
  paths.at(dirname(path), async (trail, found) => {
    if (found.type !== 'directory' || (await judge(paths, trail, path, found.path)) !== null) return ok(undefined)
    await unlink(currentOf(trail).entry(beside)).catch(unless(['ENOENT', 'EISDIR', 'EPERM'], undefined))
    return ok(undefined)
  })

/** Removes a directory if nothing is in it. */
export const removeEmpty = (paths: Paths, path: string): Promise<Result<void>> =>
  paths.at(dirname(path), async (trail, found) => {
    if (found.type !== 'directory' || found.path !== dirname(path)) return ok(undefined)
    const refused = await judge(paths, trail, path, await currentOf(trail).where())
    if (refused !== null) return refused
    await rmdir(currentOf(trail).entry(basename(path))).catch(
      unless(['ENOENT', 'ENOTEMPTY', 'ENOTDIR', 'EEXIST', 'EBUSY'], undefined),
    )
    return ok(undefined)
  })

type Held = { name: string; before: Before | null }

async function enterPlace(
  paths: Paths,
  trail: Trail,
  path: string,
  found: Found,
): Promise<Held | Failed | typeof changed> {
  const refused = (await judgePlace(paths, trail, path, found)) ?? ledElsewhere(trail, path, found)
  if (refused !== null) return refused
  if (found.type !== 'file' && found.type !== 'missing') return changed
  const name = await makeParents(trail, found)
  if (name === changed) return changed
  const before = found.type === 'file' ? await lookAt(paths, trail, path, name) : null
  if (before === changed || (before !== null && 'ok' in before)) return before
  return { name, before }
}

async function judgePlace(paths: Paths, trail: Trail, path: string, found: Found): Promise<Failed | null> {
  const refused = await judge(paths, trail, path, found.path)
  if (refused !== null) return refused
  if (found.type === 'directory' || path.endsWith('/')) return paths.refuse(path, 'a directory', isDirectory(path))
  return found.type === 'special' ? paths.refuse(path, 'not an ordinary file', specialFile(path)) : null
}

/** The path was free of links when it was looked at, and has to be still. */
const ledElsewhere = (trail: Trail, path: string, found: Found): Failed | null =>
  found.path === path ? null : patchConflict([{ path: relativeTo(trail.root.real, path), why: 'leads elsewhere now' }])

async function readIn(
  paths: Paths,
  trail: Trail,
  path: string,
  name: string,
): Promise<Result<NonNullable<State>> | typeof changed> {
  const file = await openFile(trail, name, constants.O_RDONLY)
  if (file === changed) return changed
  if (file === 'special') return paths.refuse(path, 'not an ordinary file', specialFile(path))
  await using _ = file.handle
  const refused = await judge(paths, trail, path, file.where)
  if (refused !== null) return refused
  const bytes = await readAll(file, path, most)
  return bytes.ok ? ok({ bytes: bytes.value, mode: file.mode }) : bytes
}

async function isStaged(trail: Trail, beside: string, bytes: Buffer): Promise<boolean> {
  const file = await openFile(trail, beside, constants.O_RDONLY)
  if (file === changed || file === 'special') return false
  await using _ = file.handle
  const read = await readAll(file, beside, most)
  return read.ok && read.value.equals(bytes)
}

async function writeBeside(
  paths: Paths,
  trail: Trail,
  input: { path: string; beside: string; content: Content; before: Before | null },
): Promise<Result<void> | typeof changed> {
  const { path, beside, content, before } = input
  const current = currentOf(trail)
  const refused = await judge(paths, trail, path, await current.where())
  if (refused !== null) return refused
  await unlink(current.entry(beside)).catch(unless(['ENOENT'], undefined))
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const handle = await open(current.entry(beside), flags, content.masked ? content.mode : 0o600).catch(
    unless(['ENOENT', 'ENOTDIR'], changed),
  )
  if (handle === changed) return changed
  try {
    const strayed = await judge(paths, trail, path, await current.locate(handle, beside))
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

/** The real paths of the directories that would have to be made. */
function parentsOf({ path, names }: Extract<Found, { type: 'missing' }>): string[] {
  const parents: string[] = []
  for (let at = dirname(path), left = names.length - 1; left > 0; left -= 1, at = dirname(at)) parents.unshift(at)
  return parents
}
