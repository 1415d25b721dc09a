import { open, type FileHandle } from 'node:fs/promises'
import { parseEvent } from './event.ts'
import { readHeader, type Segment, type SegmentHeader } from './segment.ts'
import { markBefore, readMarks } from './sparse-index.ts'

/** Output or a change of size, with its position in the recording. */
export type Placed = {
  /** The offset of the first byte of `text`. */
  readonly offset: number
  readonly bytes: number
  /** Where its line begins in the file. */
  readonly position: number
  /** Empty for a change of size. */
  readonly text: string
  readonly atMs: number
  readonly size: { readonly cols: number; readonly rows: number } | null
}

/**
 * Reads complete lines of one segment, block by block, from `start` or the mark before `from` on. After the
 * end, `next` can be called again: it reads what was added.
 */
export type Scan = {
  readonly header: SegmentHeader
  /** The offset after the last line that was read. */
  readonly offset: number
  /** Where in the file the next line begins. */
  readonly position: number
  /** The next events; null if the file ends for now, or contains something that is not ours. */
  next(): Promise<Placed[] | null>
  [Symbol.asyncDispose](): Promise<void>
}

const usualBlock = 256 * 1024
/** We write events of at most 96 KB of text. This leaves room for JSON escapes; a longer line is not ours. */
const longestLine = 16 * 1024 * 1024

/** A known place to start at, and how much to read at once. */
type ScanStart = { readonly offset: number; readonly position: number; readonly blockBytes?: number }

export async function openScan(segment: Segment, from: number, start?: ScanStart): Promise<Scan | null> {
  const head = await readHeader(segment)
  if (!head) return null
  const file = await openExisting(segment)
  if (!file) return null
  const mark = start ?? markBefore(await readMarks(segment, (await file.stat()).size), from)
  const blockBytes = start?.blockBytes ?? usualBlock
  const { header } = head
  let offset = mark?.offset ?? segment.start
  let position = mark?.position ?? head.bytes
  let isBroken = false

  const lines = async (): Promise<Buffer | null> => {
    for (let length = blockBytes; length <= longestLine; length *= 4) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
      const end = buffer.subarray(0, bytesRead).lastIndexOf(10)
      if (end >= 0) return buffer.subarray(0, end + 1)
      if (bytesRead < length) return null
    }
    return null
  }

  return {
    header,
    get offset() {
      return offset
    },
    get position() {
      return position
    },
    async next() {
      const block = isBroken ? null : await lines()
      if (!block) return null
      const found: Placed[] = []
      for (let start = 0; start < block.length;) {
        const end = block.indexOf(10, start)
        const event = parseEvent(block.toString('utf8', start, end))
        if (!event) {
          isBroken = true
          break
        }
        const text = event.kind === 'o' ? event.text : ''
        const bytes = Buffer.byteLength(text)
        const atMs = header.startedMs + Math.round(event.seconds * 1000)
        found.push({ offset, bytes, position, text, atMs, size: event.kind === 'r' ? event : null })
        offset += bytes
        position += end + 1 - start
        start = end + 1
      }
      return found.length > 0 ? found : null
    },
    [Symbol.asyncDispose]: () => file.close(),
  }
}

async function openExisting(segment: Segment): Promise<FileHandle | null> {
  try {
    return await open(segment.path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
