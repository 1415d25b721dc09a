import { createHash, hash as hashOnce } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readlink, rename, rmdir, symlink, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { type Hold, openDirectory, type Directory } from '../held-directory.ts'
import { errnoOf, ifErrno } from '../errno.ts'
import { stagedName } from '../staged-name.ts'
import { ContentMissing, type CheckpointContents } from './contents.ts'
import { WorkspaceReplaced } from './held-directory-sync.ts'
import { knownLeaf, type KnownLeaf, type RestoreStep } from './restore-log.ts'
import type { TreeFile, TreeLeaf } from './tree.ts'

/** A directory was swapped or moved meanwhile. */
export class DirectoryMoved extends Error {}

/** Restores single files of a workspace through held directories that are checked right before use. */
export type FileRestorer = AsyncDisposable & {
  /** `isNew`: the state before had no file there. What is there all the same could not be kept, so it is moved aside. */
  put(path: string, leaf: TreeLeaf, from: { contents: CheckpointContents; isNew: boolean }): Promise<void>
  /** Removes a file if it still has this hash and mode, or a link with this target; false if not. */
  remove(path: string, leaf: KnownLeaf): Promise<boolean>
  /** Takes back one step of an earlier restore, if what it left is unchanged; true if that removed a file. */
  takeBack(step: RestoreStep): Promise<boolean>
  /** New names of entries that were in the way. */
  readonly movedAside: string[]
}

/** `mark` is part of the names of entries that are moved aside. It is the same on each attempt, so that they are found. */
export async function openFileRestorer(input: {
  root: string
  /** Identity of the root, if it is known. */
  identity?: string | null
  hold: Hold
  mark: string
  /** Called before each step that changes more than contents. */
  note(step: RestoreStep): void
}): Promise<FileRestorer> {
  const { root, mark, note } = input
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
  const below = (name: string) => [...held.map((one) => one.name), name].join('/')
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
        note({ kind: 'mkdir', path: below(name) })
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
    const status = await lstat(entry).catch(ifErrno(['ENOENT'], null))
    if (status === null) return
    if (status.isDirectory()) note({ kind: 'rmdir', path: below(name), mode: status.mode & 0o777 })
    if (await rmdir(entry).then(() => true, ifErrno(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'], false))) return
    for (let number = 1; ; number += 1) {
      const other = `${name}.kept-${mark}${number === 1 ? '' : `-${number}`}`
      if ((await lstat(current().entry(other)).catch(ifErrno(['ENOENT'], null))) !== null) continue
      await stay()
      note({ kind: 'moved', path: below(name), to: below(other) })
      await rename(entry, current().entry(other))
      movedAside.push(below(other))
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

  async function put(
    path: string,
    leaf: TreeLeaf,
    { contents, isNew }: { contents: CheckpointContents; isNew: boolean },
  ): Promise<void> {
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
      if (inTheWay !== null && (isNew || inTheWay.isDirectory())) await clear(name)
      if (isNew) note({ kind: 'made', path, leaf: knownLeaf(leaf) })
      await stay()
      await rename(staged, current().entry(name))
    } catch (error) {
      await unlink(staged).catch(() => undefined)
      throw error
    }
  }

  /** Acts in the directory of a path; `otherwise` if that is gone or something else is in its place. */
  async function inDirectoryOf<T>(path: string, otherwise: T, act: (name: string) => Promise<T>): Promise<T> {
    const names = path.split('/')
    const name = names.pop() ?? ''
    try {
      return await fresh(async () => {
        await goTo(names, false)
        return act(name)
      })
    } catch (error) {
      if (error instanceof DirectoryMoved || unlikeBefore.includes(errnoOf(error) ?? '')) return otherwise
      throw error
    }
  }

  const remove = (path: string, leaf: KnownLeaf): Promise<boolean> =>
    inDirectoryOf(path, false, async (name) => {
      if (!(await isStill(current().entry(name), leaf))) return false
      await stay()
      await unlink(current().entry(name))
      return true
    })

  async function takeBack(step: RestoreStep): Promise<boolean> {
    const { kind, path } = step
    if (kind === 'made') return remove(path, step.leaf)
    return inDirectoryOf(path, false, async (name) => {
      const entry = current().entry(name)
      await stay()
      if (kind === 'mkdir') {
        note({ kind: 'rmdir', path, mode: (await lstat(entry)).mode & 0o777 })
        await rmdir(entry)
      } else if (kind === 'rmdir') {
        note({ kind: 'mkdir', path })
        await mkdir(entry, { mode: step.mode })
      } else {
        const moved = current().entry(step.to.slice(step.to.lastIndexOf('/') + 1))
        if ((await lstat(entry).catch(ifErrno(['ENOENT'], null))) !== null) return false
        note({ kind: 'moved', path: step.to, to: path })
        await rename(moved, entry)
      }
      return false
    })
  }

  return {
    movedAside,
    put: (path, leaf, from) => fresh(() => put(path, leaf, from)),
    remove,
    takeBack,
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

/** Errors that say: this is not what was left there. */
const unlikeBefore = ['ENOENT', 'ELOOP', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EINVAL']

async function isStill(path: string, leaf: KnownLeaf): Promise<boolean> {
  if (leaf.target !== undefined) return (await readlink(path)) === leaf.target
  return (await hashAt(path, leaf.mode)) === leaf.hash
}

const mostHashed = 1024 * 1024 * 1024

/** Null if it is not a file, or has another mode than this. */
async function hashAt(path: string, mode: number | undefined): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  await using handle = await open(path, flags)
  const status = await handle.stat()
  if (!status.isFile() || status.size > mostHashed) return null
  if (mode !== undefined && (status.mode & 0o777) !== mode) return null
  const sha256 = createHash('sha256')
  for await (const piece of handle.createReadStream({ autoClose: false })) sha256.update(piece)
  return sha256.digest('hex')
}
