import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

export type PlainFile =
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'odd'; readonly why: string }

/** Never follows a link, never waits for the other end of a pipe, never starts a device. */
export const plainFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

/** Reads a file that others may have put there: opened without blocking, checked to be a plain file, up to `most` bytes. */
export async function readPlainFile(path: string, most: number): Promise<PlainFile> {
  let handle
  try {
    handle = await open(path, plainFlags)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    return { kind: 'odd', why: code === 'ELOOP' ? 'is a link' : `can't be opened (${code})` }
  }
  await using file = handle
  const found = await file.stat()
  if (!found.isFile()) return { kind: 'odd', why: 'is not a plain file' }
  if (found.size > most) return { kind: 'odd', why: `is larger than ${most} bytes` }
  // Reads up to the limit, not the reported size: the file may be growing.
  const buffer = Buffer.alloc(Math.min(most, found.size + 4096) + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  if (length > most) return { kind: 'odd', why: `is larger than ${most} bytes` }
  return { kind: 'file', bytes: buffer.subarray(0, length) }
}
