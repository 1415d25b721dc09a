import type { Message } from '../domain/message/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import type { Logger } from '../lib/log.ts'

/** Tokens, screen bytes, typing, changes of a web chat: sent once to current listeners, never stored, may be dropped. */
export type LiveMessage = { readonly sessionId: SessionId | null; readonly type: string; readonly data: unknown }

export type Live = {
  publish(message: LiveMessage): void
  subscribe(sessionId: SessionId, listener: (message: LiveMessage) => void): Disposable
  /** Messages of this type from all sessions, for lists of sessions. */
  watch(type: string, listener: (message: LiveMessage) => void): Disposable
  /** Registers the messages of a session that are still growing, so that reads include their current text. */
  grow(sessionId: SessionId, growing: (() => readonly Message[]) | null): void
  /** The messages of a session that are still growing, or are not stored yet. */
  growing(sessionId: SessionId): readonly Message[]
  /** Stored messages with the newer live text. `before` is what was growing before they were read: some of it may have been stored meanwhile. */
  overlay(
    sessionId: SessionId,
    stored: readonly Message[],
    more?: { readonly before?: readonly Message[]; readonly since?: string | undefined },
  ): Message[]
}

export function createLive(log: Logger): Live {
  const listeners = new Map<SessionId | null, Set<(message: LiveMessage) => void>>()
  const watchers = new Set<{ type: string; listener: (message: LiveMessage) => void }>()
  const growing = new Map<SessionId, () => readonly Message[]>()
  return {
    publish(message) {
      const watching = [...watchers].filter(({ type }) => type === message.type).map(({ listener }) => listener)
      for (const listener of [...(listeners.get(message.sessionId) ?? []), ...watching])
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
    watch(type, listener) {
      const watcher = { type, listener }
      watchers.add(watcher)
      return { [Symbol.dispose]: () => void watchers.delete(watcher) }
    },
    grow(sessionId, source) {
      if (source) growing.set(sessionId, source)
      else growing.delete(sessionId)
    },
    growing: (sessionId) => growing.get(sessionId)?.() ?? [],
    overlay(sessionId, stored, { before = [], since } = {}) {
      const now = new Map((growing.get(sessionId)?.() ?? []).map((message) => [message.id, message]))
      const open = new Map([...before.map((message) => [message.id, message] as const), ...now])
      if (open.size === 0) return [...stored]
      const shown = stored.map((message) => now.get(message.id) ?? message)
      for (const message of stored) open.delete(message.id)
      const unseen = [...open.values()].filter(({ timestamp }) => since === undefined || timestamp > since)
      return [...shown, ...unseen].toSorted((a, b) =>
        a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0,
      )
    },
  }
}
