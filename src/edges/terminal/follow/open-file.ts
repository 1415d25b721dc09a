import { constants } from 'node:fs'
import { lstat, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Fault, type Result } from '../../../lib/result.ts'

/** The file at a path now, links followed. */
export async function identityOf(path: string): Promise<Result<string>> {
  try {
    const found = await stat(path)
    return found.isFile() ? ok(identity(found)) : fail(notAFile(path))
  } catch (error) {
    return fail(openFault(path, error))
  }
}

const identity = ({ dev, ino }: { dev: number; ino: number }): string => `${dev}:${ino}`

export type Opened = { readonly handle: FileHandle; readonly identity: string; readonly size: number }

/**
 * Opens a file that may be read, without blocking on a fifo. Permission is checked for the file that was
 * opened, by its real name: if the path changes in the meantime, nothing else is read.
 */
export async function openFile(path: string, check: (path: string) => Promise<Result<void>>): Promise<Result<Opened>> {
  let handle: FileHandle
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch (error) {
    return fail(openFault(path, error))
  }
  const found = await handle.stat()
  const name = found.isFile() ? await nameOf(handle, path) : null
  const allowed = name === null ? fail(found.isFile() ? changedFault(path) : notAFile(path)) : await check(name)
  if (allowed.ok) return ok({ handle, identity: identity(found), size: found.size })
  await handle.close()
  return allowed
}

/** The real name of the opened file; null if it has none any more, or it is unknown. */
async function nameOf(handle: FileHandle, path: string): Promise<string | null> {
  if (process.platform === 'linux') {
    const name = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
    return name === null || name.endsWith(' (deleted)') ? null : name
  }
  // On other systems the path is resolved, and must lead to the file that was opened.
  const real = await realpath(path).catch(() => null)
  const there = real === null ? null : await lstat(real).catch(() => null)
  return there && identity(there) === identity(await handle.stat()) ? real : null
}

const notAFile = (path: string): Fault => ({
  kind: 'invalid',
  code: 'not_a_file',
  message: `${path} is not an ordinary file: a directory, a pipe or a device can't be followed.`,
  hint: 'Signalbox looks again if a file takes its place.',
})

const changedFault = (path: string): Fault => ({
  kind: 'unavailable',
  code: 'file_changed',
  message: `${path} was replaced while it was opened.`,
  hint: 'Signalbox tries again automatically.',
})

function openFault(path: string, error: unknown): Fault {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const hint = 'Signalbox follows it again once it exists.'
    return { kind: 'not_found', code: 'file_not_found', message: `File ${path} not found.`, hint }
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const hint = 'Make it readable for the user who runs Signalbox. It is retried automatically.'
    return { kind: 'forbidden', code: 'file_not_readable', message: `${path} can't be read: permission denied.`, hint }
  }
  if (code === 'ENXIO' || code === 'ELOOP') return notAFile(path)
  const message = `${path} could not be opened (${code ?? String(error)}).`
  return { kind: 'unavailable', code: 'file_read_error', message, hint: 'Signalbox tries again automatically.' }
}
