import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { ok, type Result } from '../../lib/result.ts'
import { changed, type HeldPaths } from './held-paths.ts'
import { ifErrno } from './errno.ts'
import { fileNotFound, fileTooLarge, invalidPath, isDirectory, outsideWorkspace, specialFile } from './faults.ts'
import { isInside } from './inside.ts'
import { currentOf, type Trail } from './walk.ts'

export type OpenedFile = { handle: FileHandle; size: number; mode: number; uid: number; gid: number; where: string }

const chunkSize = 1024 * 1024

/**
 * Opens a regular file without following a link or waiting on a pipe, and finds its current path. Hard links can't be
 * detected here.
 */
export async function openFile(
  trail: Trail,
  name: string,
  access: number,
): Promise<OpenedFile | 'special' | typeof changed> {
  const current = currentOf(trail)
  const flags = access | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
  const handle = await open(current.entry(name), flags)
    .catch(ifErrno(['ELOOP', 'ENOENT', 'EISDIR'], changed))
    .catch(ifErrno(['ENXIO', 'ENODEV', 'EOPNOTSUPP'], 'special' as const))
  if (handle === changed || handle === 'special') return handle
  try {
    const found = await handle.stat()
    if (!found.isFile()) {
      await handle.close()
      return found.isDirectory() ? changed : 'special'
    }
    const where = await current.locate(handle, name)
    return { handle, size: found.size, mode: found.mode & 0o777, uid: found.uid, gid: found.gid, where }
  } catch (error) {
    await handle.close()
    return ifErrno(['ELOOP', 'ENOENT'], changed)(error)
  }
}

/** Opens an existing file for reading. */
export const withFile = <T>(
  paths: HeldPaths,
  path: string,
  use: (file: OpenedFile) => Promise<Result<T>>,
): Promise<Result<T>> =>
  paths.at(path, async (trail, found) => {
    if (found.type === 'missing') return fileNotFound(path)
    if (found.type === 'directory') return isDirectory(path)
    if (path.endsWith('/')) return invalidPath('not_a_directory', path)
    const file = found.type === 'special' ? 'special' : await openFile(trail, found.name, constants.O_RDONLY)
    if (file === changed) return changed
    if (file === 'special') return paths.refuse(path, 'not an ordinary file', specialFile(path))
    await using _ = file.handle
    if (!isInside(trail.root.real, file.where))
      return await paths.refuse(path, 'moved out of the workspace', outsideWorkspace(path))
    return await use(file)
  })

export async function readAll(file: OpenedFile, path: string, most: number): Promise<Result<Buffer>> {
  if (file.size > most) return fileTooLarge(path, most)
  const pieces: Buffer[] = []
  let length = 0
  for await (const bytes of chunksOf(file, most + 1)) {
    // The buffer is reused for the next chunk.
    pieces.push(Buffer.from(bytes))
    length += bytes.length
  }
  return length > most ? fileTooLarge(path, most) : ok(Buffer.concat(pieces, length))
}

/** Reads only the size at opening, so that a growing file ends. */
export async function hashOf(file: OpenedFile, path: string, most: number): Promise<Result<string>> {
  if (file.size > most) return fileTooLarge(path, most)
  const hash = createHash('sha256')
  for await (const bytes of chunksOf(file, file.size)) hash.update(bytes)
  return ok(hash.digest('hex'))
}

async function* chunksOf(file: OpenedFile, most: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkSize, Math.max(4096, file.size + 1)))
  let left = most
  while (left > 0) {
    const { bytesRead } = await file.handle.read(buffer, 0, Math.min(buffer.length, left), null)
    if (bytesRead === 0) return
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
