/** Reusable buffers of one size, so that streaming creates no garbage. */
export type Pool = {
  /** May still contain old data. */
  take(): Buffer
  /** Returns a buffer that is no longer read. */
  give(piece: Buffer): void
}

/** `most` is the number of unused buffers to keep. */
export function createPool(size: number, most: number): Pool {
  const free: Buffer[] = []
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(size),
    give(piece) {
      if (piece.length === size && free.length < most) free.push(piece)
    },
  }
}
