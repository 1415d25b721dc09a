import { createFrame } from './frame.ts'

/** Repeatable randomness for tests: the same seed cuts in the same places. */
export function randomChunks(seed: number) {
  let state = seed * 2654435761
  const below = (most: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  const raw = (bytes: Buffer): Buffer[] => {
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + below(below(4) === 0 ? 60 : 5)
      chunks.push(bytes.subarray(at, end))
      at = end
    }
    return chunks
  }
  return {
    below,
    raw,
    /** As a capture passes them on: cut only where allowed. */
    cut(bytes: Buffer): Buffer[] {
      const frame = createFrame()
      return [...raw(bytes).map((chunk) => Buffer.from(frame.push(chunk))), frame.end()]
    },
  }
}
