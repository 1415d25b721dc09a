import type { App } from '../../../app/app.ts'
import { seeing } from '../actor.ts'
import type { Ask, AskId } from '../../../domain/ask/schema.ts'

/** Waits for what becomes of asks; what was answered while nobody looked counts too. */
export type Answers = {
  wait(id: AskId, signal: AbortSignal): Promise<Ask | null>
  /** Something happened to this ask; whether anybody here waits, or waited, for it. */
  heard(id: string): boolean
}

export function createAnswers(app: App): Answers {
  const waiting = new Map<string, Set<() => void>>()
  const known = new Set<string>()

  async function closed(id: AskId): Promise<Ask | null> {
    const ask = await app.read.ask(seeing, id)
    return ask.ok && ask.value.status !== 'open' ? ask.value : null
  }

  return {
    async wait(id, signal) {
      known.add(id)
      const bell = Promise.withResolvers<void>()
      let ring = bell
      const wake = () => ring.resolve()
      const set = waiting.get(id) ?? new Set()
      waiting.set(id, set.add(wake))
      signal.addEventListener('abort', wake)
      try {
        while (!signal.aborted) {
          const ask = await closed(id)
          if (ask) return ask
          await ring.promise
          ring = Promise.withResolvers<void>()
        }
        // Whoever asked is gone: an answer that comes yet is for who takes its place.
        known.delete(id)
        return null
      } finally {
        signal.removeEventListener('abort', wake)
        set.delete(wake)
        if (set.size === 0) waiting.delete(id)
      }
    },
    heard(id) {
      const waiters = waiting.get(id)
      for (const wake of waiters ?? []) wake()
      return known.has(id)
    },
  }
}
