import type { LiveFrame } from './stream.ts'

type Listener = (frame: LiveFrame) => void

/** Hands the live messages of the session that is looked at to whoever shows it. */
export function createFeed(follow: (sessionId: string | null) => void) {
  const listeners = new Set<Listener>()
  return {
    tell(frame: LiveFrame): void {
      for (const listener of listeners) listener(frame)
    },
    /** One session at a time: the last one asked for. */
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
