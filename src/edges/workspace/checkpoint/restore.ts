import { createHash, hash as hashOnce } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, rmdir, symlink, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { type Hold, openDirectory, type Directory } from '../held-directory.ts'
import { errnoOf, ifErrno } from '../errno.ts'
import { stagedName } from '../staged-name.ts'
import { ContentMissing, openContents, type CheckpointContents } from './contents.ts'
import type { Difference, LeafAtPath, TreeFile, TreeLeaf } from './tree.ts'
import { WorkspaceReplaced } from './held-directory-sync.ts'

/** A file that the session created, and its hash at that time. */
export type MadeFile = { path: string; hash: string }

export type RestoreResult = {
  restored: string[]
  recreated: string[]
  /** New files that stay; renamed if they were in the way. */
  kept: string[]
  removed: string[]
  failed: { path: string; why: string }[]
}

const mostTries = 8

/**
 * Restores a workspace to a checkpoint. Each file is complete before it gets its name. If interrupted, it can be run again
 * with the same result.
 */
export async function restoreFiles(input: {
  root: string
  identity?: string | null
  hold: Hold
  directory: string
  restorePoint: string
  difference: Difference
  removeNew: readonly MadeFile[]
  mark: string
}): Promise<RestoreResult> {
  const { difference, removeNew } = input
  await using contents = await openContents(input.directory, input.restorePoint)
  await using hands = await openFileRestorer(input)
  const done: RestoreResult = { restored: [], recreated: [], kept: [], removed: [], failed: [] }
  const made = new Map(removeNew.map(({ path, hash }) => [path, hash]))
  for (const { path, leaf } of difference.added) {
    const hash = leaf.kind === 'file' ? made.get(path) : undefined
    const gone = hash !== undefined && hash === leaf.hash && (await hands.remove(path, hash))
    done[gone ? 'removed' : 'kept'].push(path)
  }
  const putAll = async (files: readonly LeafAtPath[], list: string[]) => {
    for (const { path, leaf } of files) {
      const why = await attempt(() => hands.put(path, leaf, contents))
      if (why === null) list.push(path)
      else done.failed.push({ path, why })
    }
  }
  await putAll(difference.modified, done.restored)
  await putAll(difference.deleted, done.recreated)
  done.kept = renamed(done.kept, hands.movedAside, input.mark)
  return done
}

/** Null on success, or why this file failed; throws for a full disk and other general errors. */
async function attempt(act: () => Promise<void>): Promise<string | null> {
  for (let tries = 1; ; tries += 1)
    try {
      await act()
      return null
    } catch (error) {
      const code = errnoOf(error)
      const isSwapped =
        error instanceof DirectoryMoved ||
        ['ENOENT', 'ELOOP', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(code ?? '')
      if (isSwapped && tries < mostTries) continue
      if (isSwapped) return 'It kept changing while it was restored.'
      if (error instanceof ContentMissing) return error.message
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'EBUSY')
        return `Permission denied (${code}).`
      throw error
    }
}

/** Replaces the paths of entries that were moved aside by their new names. */
function renamed(kept: readonly string[], aside: readonly string[], mark: string): string[] {
  const before = new Map(aside.map((path) => [path.replace(new RegExp(`\\.kept-${mark}(?:-\\d+)?$`), ''), path]))
  const nameOf = (path: string): string => {
    for (const [old, now] of before)
      if (path === old || path.startsWith(`${old}/`)) return `${now}${path.slice(old.length)}`
    return path
  }
  return kept.map(nameOf).sort()
}

/** A directory was swapped or moved meanwhile. */
class DirectoryMoved extends Error {}

/** Restores single files of a workspace through held directories that are checked right before use. */
type FileRestorer = AsyncDisposable & {
  put(path: string, leaf: TreeLeaf, contents: CheckpointContents): Promise<void>
  /** Removes a file if it still has this hash; false if not. */
  remove(path: string, hash: string): Promise<boolean>
  /** New names of entries that were in the way. */
  readonly movedAside: string[]
}

/** `mark` is part of the names of entries that are moved aside. It is the same on each attempt, so that they are found. */
async function openFileRestorer(input: {
  root: string
  /** Identity of the root, if it is known. */
  identity?: string | null
  hold: Hold
  mark: string
}): Promise<FileRestorer> {
  const { root, mark } = input
  const movedAside: string[] = []
  const held: { name: string; directory: Directory }[] = []
  const top = await openDirectory(input.hold, root)
  if ((await top.where()) !== root || (input.identity && (await top.identity()) !== input.identity)) {
    await top.close()
    throw new WorkspaceReplaced(root)
  }

  const current = () => held.at(-1)?.directory ?? top
  const pathNow = () => [root, ...held.map(({ name }) => name)].join('/')
  const stay = async () => {
    if ((await current().where()) !== pathNow()) throw new DirectoryMoved(pathNow())
  }
  const leave = async () => {
    await held.pop()?.directory.close()
  }

  /** Enters the directory of a path. With `make`, moves other entries aside and creates missing directories. */
  async function goTo(names: readonly string[], make: boolean): Promise<void> {
    while (held.length > names.length || held.some(({ name }, index) => names[index] !== name)) await leave()
    await stay()
    for (const name of names.slice(held.length)) {
      let child = await enter(name)
      if (child === null && make) {
        await clear(name)
        await mkdir(current().entry(name)).catch(ifErrno(['EEXIST'], undefined))
        child = await enter(name)
      }
      if (child === null) throw new DirectoryMoved(join(pathNow(), name))
      held.push({ name, directory: child })
      await stay()
    }
  }

  const enter = (name: string): Promise<Directory | null> =>
    current()
      .child(name)
      .catch(ifErrno(['ENOENT', 'ENOTDIR', 'ELOOP'], null))

  /** New entries are not deleted but renamed. */
  async function clear(name: string): Promise<void> {
    const entry = current().entry(name)
    if ((await lstat(entry).catch(ifErrno(['ENOENT'], null))) === null) return
    if (await rmdir(entry).then(() => true, ifErrno(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'], false))) return
    for (let number = 1; ; number += 1) {
      const other = `${name}.kept-${mark}${number === 1 ? '' : `-${number}`}`
      if ((await lstat(current().entry(other)).catch(ifErrno(['ENOENT'], null))) !== null) continue
      await stay()
      await rename(entry, current().entry(other))
      movedAside.push([...held.map((one) => one.name), other].join('/'))
      return
    }
  }

  /** After an error the next attempt starts at the root. */
  const fresh = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      while (held.length > 0) await leave()
      throw error
    }
  }

  async function put(path: string, leaf: TreeLeaf, contents: CheckpointContents): Promise<void> {
    const names = path.split('/')
    const name = names.pop() ?? ''
    await goTo(names, true)
    const staged = current().entry(stagedName(hashOnce('sha256', path).slice(0, 32)))
    // Left by an earlier attempt.
    await unlink(staged).catch(ifErrno(['ENOENT'], undefined))
    await stay()
    try {
      if (leaf.kind === 'link') await symlink(leaf.target, staged)
      else await fill(staged, leaf, contents.read(path, leaf))
      const inTheWay = await lstat(current().entry(name)).catch(ifErrno(['ENOENT'], null))
      if (inTheWay?.isDirectory()) await clear(name)
      await stay()
      await rename(staged, current().entry(name))
    } catch (error) {
      await unlink(staged).catch(() => undefined)
      throw error
    }
  }

  return {
    movedAside,
    put: (path, leaf, contents) => fresh(() => put(path, leaf, contents)),
    async remove(path, hash) {
      const names = path.split('/')
      const name = names.pop() ?? ''
      try {
        return await fresh(async () => {
          await goTo(names, false)
          if ((await hashAt(current().entry(name))) !== hash) return false
          await stay()
          await unlink(current().entry(name))
          return true
        })
      } catch (error) {
        if (error instanceof DirectoryMoved || ['ENOENT', 'ELOOP', 'EISDIR', 'ENOTDIR'].includes(errnoOf(error) ?? ''))
          return false
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      while (held.length > 0) await leave()
      await top.close()
    },
  }
}

/** Fails unless the content is exactly what was kept. */
async function fill(path: string, leaf: TreeFile, content: AsyncIterable<Uint8Array>): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  await using handle: FileHandle = await open(path, flags, 0o600)
  const sha256 = createHash('sha256')
  for await (const piece of content) {
    sha256.update(piece)
    await handle.writeFile(piece)
  }
  if (sha256.digest('hex') !== leaf.hash) throw new ContentMissing('Its stored copy is damaged.')
  await handle.chmod(leaf.mode)
  await handle.sync()
}

const mostHashed = 1024 * 1024 * 1024

async function hashAt(path: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  await using handle = await open(path, flags)
  const status = await handle.stat()
  if (!status.isFile() || status.size > mostHashed) return null
  const sha256 = createHash('sha256')
  for await (const piece of handle.createReadStream({ autoClose: false })) sha256.update(piece)
  return sha256.digest('hex')
}
