/** Recent output in memory while there are live readers. Slow readers use the files. */
export type RecentOutput = {
  add(offset: number, bytes: Uint8Array): void
  /** One contiguous piece from an offset on; null if it is not in memory. */
  at(offset: number): Uint8Array | null
  clear(): void
}

const mostBytes = 2 * 1024 * 1024

export function createRecentOutput(): RecentOutput {
  let pieces: { from: number; bytes: Uint8Array }[] = []
  let size = 0
  return {
    add(from, bytes) {
      pieces.push({ from, bytes })
      size += bytes.length
      while (size > mostBytes && pieces.length > 1) size -= pieces.shift()?.bytes.length ?? 0
    },
    at(offset) {
      const piece = pieces.find(({ from, bytes }) => offset >= from && offset < from + bytes.length)
      return piece ? piece.bytes.subarray(offset - piece.from) : null
    },
    clear() {
      pieces = []
      size = 0
    },
  }
}
