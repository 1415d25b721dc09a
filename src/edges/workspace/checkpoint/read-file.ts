import { createHash, hash as hashOnce } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs'
import { errnoOf } from '../errno.ts'
import { fingerprintOf } from './file-cache.ts'
import type { ContentSink } from './sink.ts'

type FileContent = { hash: string; blob: string; status: BigIntStats }
type ReadRefusal = 'unreadable' | 'special' | 'changing' | 'too_large'

const MiB = 1024 * 1024
const largest = 1024 * MiB
const mostTries = 4
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

/** Reads files once for the hash and the sink, and makes sure that they did not change meanwhile. */
export function createReader(sink: ContentSink) {
  const buffer = Buffer.allocUnsafe(MiB)

  return async function read(path: string, seen: BigIntStats): Promise<FileContent | ReadRefusal> {
    let before = seen
    for (let tries = 0; tries < mostTries; tries += 1) {
      let fd: number
      try {
        fd = openSync(path, flags)
      } catch (error) {
        return refusalOf(error)
      }
      try {
        if (tries > 0) before = fstatSync(fd, { bigint: true })
        if (before.size > largest) return 'too_large'
        const done = Number(before.size) < MiB ? await whole(fd, before) : await inPieces(fd, before)
        if (done !== null) return done
      } catch (error) {
        return refusalOf(error)
      } finally {
        closeSync(fd)
      }
    }
    return 'changing'
  }

  async function whole(fd: number, before: BigIntStats): Promise<FileContent | null> {
    let length = 0
    for (;;) {
      const count = readSync(fd, buffer, length, buffer.length - length, null)
      length += count
      // A file that grew beyond the buffer is read again.
      if (count === 0 || length === buffer.length || length === Number(before.size)) break
    }
    const after = fstatSync(fd, { bigint: true })
    if (!isStill(before, after) || length !== Number(after.size)) return null
    const bytes = buffer.subarray(0, length)
    const hash = hashOnce('sha256', bytes)
    return { hash, blob: await sink.put(hash, bytes), status: after }
  }

  async function inPieces(fd: number, before: BigIntStats): Promise<FileContent | null> {
    const size = Number(before.size)
    const sha256 = createHash('sha256')
    const kept = await sink.begin(size)
    let left = size
    let hash: string | null = null
    let blob = ''
    let after = before
    try {
      while (left > 0) {
        const count = readSync(fd, buffer, 0, Math.min(buffer.length, left), null)
        if (count === 0) break
        left -= count
        const piece = buffer.subarray(0, count)
        sha256.update(piece)
        await kept.push(piece)
      }
      after = fstatSync(fd, { bigint: true })
      if (left === 0 && isStill(before, after)) hash = sha256.digest('hex')
    } finally {
      blob = await kept.end(hash)
    }
    return hash === null ? null : { hash, blob, status: after }
  }
}

const isStill = (before: BigIntStats, after: BigIntStats): boolean =>
  after.isFile() && fingerprintOf(before) === fingerprintOf(after) && before.mode === after.mode

function refusalOf(error: unknown): ReadRefusal {
  switch (errnoOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EIO':
      return 'unreadable'
    case 'ELOOP':
    case 'ENOENT':
    case 'EISDIR':
    case 'ESTALE':
      return 'changing'
    case 'ENXIO':
    case 'ENODEV':
    case 'EOPNOTSUPP':
      return 'special'
    default:
      throw error
  }
}
