import { mkdir, open, rm, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes on disk between two absolute offsets, in files that are removed as their bytes are dropped. */
export type Segments = {
  /** Bytes in files, dropped parts of a file included. */
  readonly size: number
  /** Gives how many bytes were written; throws if none were. */
  write(pieces: readonly Buffer[], at: number): Promise<number>
  read(offset: number, most: number): Promise<Buffer | null>
  drop(offset: number): Promise<void>
  remove(): Promise<void>
}

type Segment = { start: number; end: number; path: string }

export function createSegments(directory: string, segmentBytes: number): Segments {
  const segments: Segment[] = []
  let handle: FileHandle | null = null

  async function closeHandle(): Promise<void> {
    const open = handle
    handle = null
    await open?.close().catch(() => {})
  }

  async function lastWithRoom(at: number): Promise<Segment> {
    const last = segments.at(-1)
    // A file left empty by a failed write only takes bytes at its own start.
    if (last && handle && last.end === at && last.end - last.start < segmentBytes) return last
    await closeHandle()
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const segment = { start: at, end: at, path: join(directory, String(at)) }
    handle = await open(segment.path, 'w', 0o600)
    segments.push(segment)
    return segment
  }

  return {
    get size() {
      return segments.reduce((sum, { start, end }) => sum + end - start, 0)
    },
    async write(pieces, at) {
      const segment = await lastWithRoom(at)
      const { bytesWritten = 0 } = (await handle?.writev([...pieces], segment.end - segment.start)) ?? {}
      segment.end += bytesWritten
      return bytesWritten
    },
    async read(offset, most) {
      const segment = segments.find(({ start, end }) => offset >= start && offset < end)
      if (!segment) return null
      const length = Math.min(most, segment.end - offset)
      const file = await open(segment.path)
      try {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, offset - segment.start)
        return bytesRead > 0 ? buffer.subarray(0, bytesRead) : null
      } finally {
        await file.close()
      }
    },
    async drop(offset) {
      for (let first = segments[0]; first && first.end <= offset; first = segments[0]) {
        if (segments.length === 1) await closeHandle()
        segments.shift()
        await unlink(first.path).catch(() => {})
      }
    },
    async remove() {
      await closeHandle()
      segments.length = 0
      await rm(directory, { recursive: true, force: true }).catch(() => {})
    },
  }
}
