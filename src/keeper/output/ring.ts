/** The last bytes, with their absolute offsets. Allocates memory only for what it holds. */
export type Ring = {
  readonly from: number
  readonly to: number
  append(bytes: Uint8Array): void
  /** From `offset`, or from the first byte kept. */
  read(offset: number, most?: number): Buffer
}

const smallest = 1024

export function createRing(limit: number): Ring {
  let store = Buffer.alloc(0)
  // The absolute offset of the store's first byte, modulo the size of the store.
  let origin = 0
  let from = 0
  let to = 0

  function read(offset: number, most = Number.POSITIVE_INFINITY): Buffer {
    const first = Math.max(offset, from)
    const length = Math.max(0, Math.min(to - first, most))
    if (length === 0) return Buffer.alloc(0)
    const at = (first - origin) % store.length
    const piece = store.subarray(at, Math.min(store.length, at + length))
    return Buffer.concat([piece, store.subarray(0, length - piece.length)])
  }

  function grow(needed: number): void {
    const kept = read(from)
    store = Buffer.alloc(Math.min(limit, Math.max(smallest, needed * 2)))
    kept.copy(store)
    origin = from
  }

  return {
    get from() {
      return from
    },
    get to() {
      return to
    },
    append(bytes) {
      const rest = bytes.length > limit ? bytes.subarray(bytes.length - limit) : bytes
      const needed = Math.min(limit, to - from + rest.length)
      if (needed > store.length) grow(needed)
      to += bytes.length
      from = Math.max(from, to - limit)
      if (rest.length === 0) return
      const at = (to - rest.length - origin) % store.length
      const first = Math.min(rest.length, store.length - at)
      store.set(rest.subarray(0, first), at)
      store.set(rest.subarray(first), 0)
    },
    read,
  }
}
