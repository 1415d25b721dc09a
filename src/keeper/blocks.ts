/** Bytes in memory between two absolute offsets: added at the end, dropped from the front. */
export type Blocks = {
  readonly size: number
  /** `at` is where the bytes stand; only a first piece may stand elsewhere than at the end. */
  append(bytes: Buffer, at: number): void
  /** A piece that begins at `offset`; null where nothing does. */
  read(offset: number, most: number): Buffer | null
  drop(offset: number): void
}

type Block = { start: number; end: number; bytes: Buffer }

// A program that prints byte by byte must not cost an object a byte.
const room = 16 * 1024

export function createBlocks(): Blocks {
  let blocks: Block[] = []
  let size = 0

  return {
    get size() {
      return size
    },
    append(bytes, at) {
      size += bytes.length
      const last = blocks.at(-1)
      if (last && last.end - last.start + bytes.length <= last.bytes.length) {
        bytes.copy(last.bytes, last.end - last.start)
        last.end += bytes.length
        return
      }
      const isLarge = bytes.length >= room / 2
      const own = isLarge ? bytes : Buffer.allocUnsafeSlow(room)
      if (!isLarge) bytes.copy(own)
      blocks.push({ start: at, end: at + bytes.length, bytes: own })
    },
    read(offset, most) {
      const block = find(blocks, offset)
      if (!block) return null
      const skip = offset - block.start
      return block.bytes.subarray(skip, Math.min(skip + most, block.end - block.start))
    },
    drop(offset) {
      let gone = 0
      for (const block of blocks) {
        if (block.end > offset) break
        size -= block.end - block.start
        gone += 1
      }
      if (gone > 0) blocks = blocks.slice(gone)
    },
  }
}

function find(blocks: readonly Block[], offset: number): Block | null {
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
