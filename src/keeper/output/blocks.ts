import type { Pool } from '../../lib/pool.ts'

/** Bytes in memory between two absolute offsets: added at the end, dropped from the front. */
export type Blocks = {
  readonly size: number
  /** `at` is the offset of the bytes; only the first piece may be anywhere but at the end. */
  append(bytes: Buffer, at: number): void
  /** A piece that begins at `offset`, or null. With a pool it is valid only until it is dropped. */
  read(offset: number, most: number): Buffer | null
  /** Bytes before `lent` may still be in use by a reader, so their memory is not reused. */
  drop(offset: number, lent?: number): void
}

type SpoolBlock = { start: number; end: number; bytes: Buffer }

// A program that prints byte by byte must not cost an object for each byte.
const room = 16 * 1024

/** With a pool, everything is copied into its pieces; without one, large pieces are kept as they are. */
export function createBlocks(pool: Pool | null = null): Blocks {
  let blocks: SpoolBlock[] = []
  let size = 0

  function begin(at: number, own: Buffer): SpoolBlock {
    const block = { start: at, end: at, bytes: own }
    blocks.push(block)
    return block
  }

  /** As much as fits. */
  function fill(block: SpoolBlock, bytes: Buffer): number {
    const count = bytes.copy(block.bytes, block.end - block.start)
    block.end += count
    return count
  }

  const hasRoom = (block: SpoolBlock | undefined): block is SpoolBlock =>
    !!block && block.end - block.start < block.bytes.length

  function appendTo(from: Pool, bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length;) {
      const last = blocks.at(-1)
      done += fill(hasRoom(last) ? last : begin(at + done, from.take()), bytes.subarray(done))
    }
  }

  function appendAlone(bytes: Buffer, at: number): void {
    const last = blocks.at(-1)
    if (last && last.end - last.start + bytes.length <= last.bytes.length) fill(last, bytes)
    else if (bytes.length >= room / 2) begin(at, bytes).end += bytes.length
    else fill(begin(at, Buffer.allocUnsafeSlow(room)), bytes)
  }

  return {
    get size() {
      return size
    },
    append(bytes, at) {
      size += bytes.length
      if (pool) appendTo(pool, bytes, at)
      else appendAlone(bytes, at)
    },
    read(offset, most) {
      const block = find(blocks, offset)
      if (!block) return null
      const skip = offset - block.start
      return block.bytes.subarray(skip, Math.min(skip + most, block.end - block.start))
    },
    drop(offset, lent = 0) {
      let gone = 0
      for (const block of blocks) {
        if (block.end > offset) break
        size -= block.end - block.start
        if (block.start >= lent) pool?.give(block.bytes)
        gone += 1
      }
      if (gone > 0) blocks = blocks.slice(gone)
    },
  }
}

function find(blocks: readonly SpoolBlock[], offset: number): SpoolBlock | null {
  let low = 0
  let high = blocks.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const block = blocks[middle]
    if (!block) return null
    if (offset < block.start) high = middle - 1
    else if (offset >= block.end) low = middle + 1
    else return block
  }
  return null
}
