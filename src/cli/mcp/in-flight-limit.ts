/** Limits the bytes in flight to the server, so that a fast client is read more slowly. */
export type InFlightLimit = {
  /** Call the returned function when the message has arrived; repeated calls do nothing. */
  take(size: number): () => void
  /** Resolves when below the limit. */
  free(): Promise<void>
}

export function createInFlightLimit(most: number): InFlightLimit {
  let underway = 0
  let waiting: { promise: Promise<void>; resolve(): void } | null = null
  return {
    take(size) {
      let left = size
      underway += size
      return () => {
        underway -= left
        left = 0
        if (underway > most) return
        waiting?.resolve()
        waiting = null
      }
    },
    free() {
      if (underway <= most) return Promise.resolve()
      waiting ??= Promise.withResolvers<void>()
      return waiting.promise
    },
  }
}
