import { mkdir, open, rm, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../lib/log.ts'
import type { Pool } from '../../lib/pool.ts'
import { createBlocks } from './blocks.ts'
import type { KeptOutput, OutputEvents } from './output.ts'

export type SpoolLimits = { memory: number; disk: number; segment: number }

const megabyte = 1024 * 1024
export const spoolLimits: SpoolLimits = { memory: 8 * megabyte, disk: 1024 * megabyte, segment: 8 * megabyte }

/** Bytes read but neither in memory nor on disk yet. Above this the child waits. */
const mostPending = megabyte
const retryMs = 1000

/**
 * Keeps everything until it is dropped: the oldest bytes in memory, the rest in files, and a little between reading and
 * writing. If the files reach their limit, or the disk is full, the child is not read.
 */
export function createSpool(
  deps: { directory: string; limits: SpoolLimits; log: Logger } & {
    events: OutputEvents
    /** With a pool, appended bytes are copied, and bytes read are valid only until they are dropped. */
    pool?: Pool
  },
): KeptOutput {
  const { limits, log, events, pool = null } = deps
  const memory = createBlocks(pool)
  const disk = createSegments(deps.directory, limits.segment)
  let pending: Buffer[] = []
  let pendingBytes = 0
  let from = 0
  let to = 0
  let settling: Promise<void> | null = null
  let again = false
  let isFull = false
  let isClosed = false
  let saidFull = false
  let retry: NodeJS.Timeout | undefined

  const fitsInMemory = (bytes: number) => disk.size === 0 && memory.size + bytes <= limits.memory

  function intoMemory(bytes: Buffer, at: number): void {
    memory.append(bytes, at)
    events.changed()
  }

  function shift(count: number): void {
    pendingBytes -= count
    let left = count
    while (left > 0) {
      const first = pending[0]
      if (!first) return
      if (first.length > left) {
        pending[0] = first.subarray(left)
        return
      }
      left -= first.length
      pending.shift()
    }
  }

  /** One step towards nothing pending; false if there is nothing to do or it can't be done now. */
  async function step(): Promise<boolean> {
    await disk.drop(from)
    const first = pending[0]
    if (!first || isClosed) return false
    const at = to - pendingBytes
    if (fitsInMemory(first.length)) {
      shift(first.length)
      intoMemory(first, at)
      return true
    }
    if (disk.size >= limits.disk) {
      if (!saidFull) log.warn({ bytes: disk.size }, 'the spool is full: the child waits until the server has read more')
      saidFull = true
      return false
    }
    shift(await disk.write(pending.slice(0, 64), at))
    saidFull = false
    events.changed()
    return true
  }

  function settle(): Promise<void> {
    again = true
    settling ??= settleAll().finally(() => (settling = null))
    return settling
  }

  async function settleAll(): Promise<void> {
    try {
      while (again) {
        again = false
        while (await step()) makeRoom()
      }
    } catch (error) {
      tryLater(error)
    }
    makeRoom()
  }

  function makeRoom(): void {
    if (!isFull || isClosed || pendingBytes >= mostPending) return
    isFull = false
    events.room()
  }

  function tryLater(error: unknown): void {
    if (!saidFull) log.warn({ error: String(error) }, "the spool can't be written: the child waits until it can")
    saidFull = true
    clearTimeout(retry)
    retry = setTimeout(() => void settle(), retryMs)
  }

  return {
    get from() {
      return from
    },
    get to() {
      return to
    },
    append(bytes) {
      // An empty piece would stay pending forever: there is nothing to write.
      if (bytes.length === 0) return !isFull
      const at = to
      to += bytes.length
      if (pendingBytes === 0 && !settling && fitsInMemory(bytes.length)) {
        intoMemory(bytes, at)
        return true
      }
      pending.push(pool ? Buffer.from(bytes) : bytes)
      pendingBytes += bytes.length
      isFull = pendingBytes >= mostPending
      void settle()
      return !isFull
    },
    async read(offset, most) {
      for (;;) {
        const first = Math.max(offset, from)
        try {
          const bytes = memory.read(first, most) ?? (await disk.read(first, most))
          return bytes ? { bytes, offset: first } : null
        } catch (error) {
          // Dropped while it was opened: later bytes are still there.
          if (first >= from) throw error
        }
      }
    },
    drop(offset, lent) {
      const next = Math.min(offset, to - pendingBytes)
      if (!(next > from)) return
      from = next
      memory.drop(from, lent)
      if (pendingBytes > 0 || disk.size > 0) void settle()
    },
    async close() {
      isClosed = true
      pending = []
      pendingBytes = 0
      clearTimeout(retry)
      await settling
      await disk.remove()
    },
  }
}

/** Bytes on disk between two absolute offsets, in files that are removed as their bytes are dropped. */
type Segments = {
  /** Bytes in files, dropped parts of a file included. */
  readonly size: number
  /** Gives how many bytes were written; throws if none were. */
  write(pieces: readonly Buffer[], at: number): Promise<number>
  read(offset: number, most: number): Promise<Buffer | null>
  drop(offset: number): Promise<void>
  remove(): Promise<void>
}

type SpoolSegment = { start: number; end: number; path: string }

function createSegments(directory: string, segmentBytes: number): Segments {
  const segments: SpoolSegment[] = []
  let handle: FileHandle | null = null

  async function closeHandle(): Promise<void> {
    const open = handle
    handle = null
    await open?.close().catch(() => {})
  }

  async function lastWithRoom(at: number): Promise<SpoolSegment> {
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
