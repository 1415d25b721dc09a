import type { Logger } from '../lib/log.ts'
import type { SessionId } from '../domain/session/id.ts'

/** Tokens, screen bytes, typing: told once to whoever listens, never stored, may be dropped. */
export type LiveMessage = { readonly sessionId: SessionId; readonly type: string; readonly data: unknown }

export type Live = {
  publish(message: LiveMessage): void
  subscribe(sessionId: SessionId, listener: (message: LiveMessage) => void): Disposable
}

export function createLive(log: Logger): Live {
  const listeners = new Map<SessionId, Set<(message: LiveMessage) => void>>()
  return {
    publish(message) {
      for (const listener of listeners.get(message.sessionId) ?? [])
        try {
          listener(message)
        } catch (error) {
          log.error({ error: String(error) }, 'a listener of live messages failed')
        }
    },
    subscribe(sessionId, listener) {
      const set = listeners.get(sessionId) ?? new Set()
      listeners.set(sessionId, set.add(listener))
      return {
        [Symbol.dispose]() {
          set.delete(listener)
          if (set.size === 0) listeners.delete(sessionId)
        },
      }
    },
  }
}
