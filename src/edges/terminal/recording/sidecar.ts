import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Segment } from './segment.ts'

/** Something derived from a segment, kept in a file beside it: a head in JSON, and bytes. */
export type Sidecar = { readonly head: string; readonly body: Buffer }

export type SidecarReader = {
  /** Null if it is missing, torn or changed. The body is valid until the next read. */
  read(path: string): Sidecar | null
}

/** Mark and version, length of the head, length of the body, checksum of both. */
const mark = 0x53_42_54_31
const fixedBytes = 16

/** Reads with one buffer, because searches read many files after each other. */
export function createSidecarReader(): SidecarReader {
  let buffer = Buffer.alloc(0)

  function bytesOf(path: string): Buffer | null {
    let fd: number
    try {
      fd = openSync(path, 'r')
    } catch {
      return null
    }
    try {
      const { size } = fstatSync(fd)
      if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size)
      return readSync(fd, buffer, 0, size, 0) === size ? buffer.subarray(0, size) : null
    } catch {
      return null
    } finally {
      closeSync(fd)
    }
  }

  return {
    read(path) {
      const bytes = bytesOf(path)
      if (bytes === null || bytes.length < fixedBytes || bytes.readUInt32BE(0) !== mark) return null
      const headEnd = fixedBytes + bytes.readUInt32BE(4)
      const bodyEnd = headEnd + bytes.readUInt32BE(8)
      if (bodyEnd !== bytes.length || crc32(bytes.subarray(fixedBytes)) !== bytes.readUInt32BE(12)) return null
      return { head: bytes.toString('utf8', fixedBytes, headEnd), body: bytes.subarray(headEnd, bodyEnd) }
    },
  }
}

/** Recordings come first: what only saves time does not fill their disk. */
const leaveFree = 256 * 1024 * 1024

/** Keeps it if there is room. It replaces the old one whole; the checksum finds what a power failure left. */
export function writeSidecar(path: string, { head, body }: Sidecar, segment: Segment): void {
  const headBytes = Buffer.from(head)
  const fixed = Buffer.alloc(fixedBytes)
  fixed.writeUInt32BE(mark, 0)
  fixed.writeUInt32BE(headBytes.length, 4)
  fixed.writeUInt32BE(body.length, 8)
  fixed.writeUInt32BE(crc32(body, crc32(headBytes)), 12)
  const beside = `${path}.${randomUUID()}.tmp`
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize < leaveFree + body.length) return
    writeFileSync(beside, Buffer.concat([fixed, headBytes, body]), { flag: 'wx', mode: 0o600 })
    renameSync(beside, path)
    // It may have been removed meanwhile.
    if (!existsSync(segment.path)) rmSync(path, { force: true })
  } catch {
    rmSync(beside, { force: true })
  }
}
