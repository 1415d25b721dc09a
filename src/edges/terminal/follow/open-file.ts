import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Fault, type Result } from '../../../lib/result.ts'

/** Which file lies at a path now, links followed. */
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
 * Opens a file that may be read. The path is checked before it is opened, without waiting for anybody (a fifo), and
 * what was opened must be what still lies there: a link put in between is not read.
 */
export async function openFile(path: string, check: (path: string) => Promise<Result<void>>): Promise<Result<Opened>> {
  const before = await identityOf(path)
  if (!before.ok) return before
  const allowed = await check(path)
  if (!allowed.ok) return allowed
  let handle: FileHandle
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch (error) {
    return fail(openFault(path, error))
  }
  const found = await handle.stat()
  const after = await check(path)
  const isSame = found.isFile() && identity(found) === before.value
  if (after.ok && isSame) return ok({ handle, identity: before.value, size: found.size })
  await handle.close()
  if (!after.ok) return after
  return fail(found.isFile() ? changedFault(path) : notAFile(path))
}

const notAFile = (path: string): Fault => ({
  kind: 'invalid',
  code: 'not_a_file',
  message: `${path} is not an ordinary file: a directory, a pipe or a device can't be followed.`,
  hint: 'It is looked at again by itself, should a file take its place.',
})

const changedFault = (path: string): Fault => ({
  kind: 'unavailable',
  code: 'file_changed',
  message: `${path} was replaced while it was opened.`,
  hint: 'It is tried again by itself.',
})

function openFault(path: string, error: unknown): Fault {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const hint = 'It is taken up again as soon as there is one.'
    return { kind: 'not_found', code: 'file_not_found', message: `There is no file ${path}.`, hint }
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const hint = 'Let the user Signalbox runs as read it; it is tried again by itself.'
    return { kind: 'forbidden', code: 'file_not_readable', message: `${path} may not be read.`, hint }
  }
  if (code === 'ENXIO' || code === 'ELOOP') return notAFile(path)
  const message = `${path} could not be opened (${code ?? String(error)}).`
  return { kind: 'unavailable', code: 'file_read_error', message, hint: 'It is tried again by itself.' }
}
