import type { LiveFrame } from './stream.ts'

type Listener = (frame: LiveFrame) => void

/** Passes live messages of the viewed session to the component that shows them. */
export function createFeed(follow: (sessionId: string | null) => void) {
  const listeners = new Set<Listener>()
  return {
    tell(frame: LiveFrame): void {
      for (const listener of listeners) listener(frame)
    },
    /** Only the last requested session. */
    listen(sessionId: string, listener: Listener): () => void {
      listeners.add(listener)
      follow(sessionId)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) follow(null)
      }
    },
  }
}
export type Feed = ReturnType<typeof createFeed>
