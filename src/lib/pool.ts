/** Memory in pieces of one size that are used again and again: what flows through leaves nothing for the collector. */
export type Pool = {
  /** Holds whatever was in it before. */
  take(): Buffer
  /** Nobody reads it any more. */
  give(piece: Buffer): void
}

/** `most` is how many pieces are kept while nobody needs them. */
export function createPool(size: number, most: number): Pool {
  const free: Buffer[] = []
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(size),
    give(piece) {
      if (piece.length === size && free.length < most) free.push(piece)
    },
  }
}
