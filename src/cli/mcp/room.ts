/** How much is on its way to the server, so that a client that sends faster than it takes is read more slowly. */
export type Room = {
  /** Call what it gives when the message has arrived; calling it again does nothing. */
  take(size: number): () => void
  /** Resolves when there is room. */
  free(): Promise<void>
}

export function createRoom(most: number): Room {
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
