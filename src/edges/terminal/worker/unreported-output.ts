/** Recorded output that was not reported yet, while there are live readers. */
export type UnreportedOutput = {
  /** They are copied. */
  add(bytes: Uint8Array): void
  /** All of it up to an offset of the recording, in one piece; null if there is none. */
  upTo(offset: number): Uint8Array | null
}

export function createUnreportedOutput(start: number): UnreportedOutput {
  let pieces: Uint8Array[] = []
  let from = start
  let to = start
  return {
    add(bytes) {
      pieces.push(Uint8Array.from(bytes))
      to += bytes.length
    },
    upTo(offset) {
      const length = Math.min(offset, to) - from
      if (length <= 0) return null
      // A separate buffer, so that it can be transferred without a copy.
      const whole = new Uint8Array(length)
      let at = 0
      for (let first = pieces[0]; first && at < length; first = pieces[0]) {
        const part = first.subarray(0, length - at)
        whole.set(part, at)
        at += part.length
        if (part.length < first.length) pieces[0] = first.subarray(part.length)
        else pieces.shift()
      }
      from += length
      if (from === to) pieces = []
      return whole
    },
  }
}
