import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { indexPath, type Segment } from './segment.ts'
import { markLine, type IndexMark } from './sparse-index.ts'

/** Consecutive lines of one segment, at a known position in its file. */
export type Block = {
  readonly segment: Segment
  /** Its position in the file; zero: the file is created or emptied. */
  readonly position: number
  readonly data: Buffer
  /** How much of `data` is used. */
  bytes: number
  readonly marks: IndexMark[]
  /** The recording's offset once this is written. */
  to: number
}

export type BlockWriter = {
  /** Writes it all, or throws. The same block can then be written again, at the same position. */
  write(block: Block): Promise<void>
  close(): Promise<void>
}

/** Every write has a position, so that a second attempt overwrites what a failed one left. */
export function createBlockWriter(): BlockWriter {
  let file: FileHandle | null = null
  let index: FileHandle | null = null
  let current: Segment | null = null

  async function close(): Promise<void> {
    const open = [file, index]
    file = null
    index = null
    current = null
    for (const handle of open) await handle?.close().catch(() => undefined)
  }

  async function opened(segment: Segment, isNew: boolean): Promise<FileHandle> {
    if (file && current?.path === segment.path && !isNew) return file
    await close()
    await mkdir(dirname(segment.path), { recursive: true, mode: 0o700 })
    const flag = isNew ? 'w' : 'r+'
    file = await open(segment.path, flag, 0o600)
    index = await open(indexPath(segment), isNew ? 'w' : 'a', 0o600)
    current = segment
    return file
  }

  return {
    async write(block) {
      const handle = await opened(block.segment, block.position === 0)
      for (let done = 0; done < block.bytes;) {
        const { bytesWritten } = await handle.write(block.data, done, block.bytes - done, block.position + done)
        if (bytesWritten === 0) throw Object.assign(new Error('nothing could be written'), { code: 'ENOSPC' })
        done += bytesWritten
      }
      // Marks only save time: a full disk must not delay the text because of them.
      if (block.marks.length > 0) await index?.write(block.marks.map(markLine).join('')).catch(() => undefined)
    },
    close,
  }
}
