import type { Ask, AskId } from '../domain/ask/schema.ts'
import { isSettled } from '../domain/ask/answer.ts'
import type { Result } from '../lib/result.ts'
import type { App } from './app.ts'

const mostClosed = 1000
const seeing = { actor: { kind: 'system' as const, name: 'answers' }, grants: [], memberOf: [], unknown: false }

/** Waits for the outcome of asks, including answers given while nobody was waiting. */
export type Answers = {
  /** Opens an ask that will be waited for, so that an immediate answer does not count as unclaimed. */
  expect<T>(id: AskId, open: () => Promise<Result<T>>): Promise<Result<T>>
  wait(id: AskId, signal: AbortSignal): Promise<Ask | null>
  /** Reports an event of this ask. True if someone here waits, or waited, for it. */
  heard(id: string): boolean
}

export function createAnswers(app: Pick<App, 'read'>): Answers {
  const waiting = new Map<string, Set<() => void>>()
  const known = new Set<string>()
  /** The most recently closed asks: a waiter may read the outcome before the log reports it. */
  const lately = new Set<string>()

  function isOver(id: string): void {
    known.delete(id)
    lately.add(id)
    const [oldest] = lately
    if (lately.size > mostClosed && oldest !== undefined) lately.delete(oldest)
  }

  async function closed(id: AskId): Promise<Ask | null> {
    const ask = await app.read.ask(seeing, id)
    return ask.ok && isSettled(ask.value) ? ask.value : null
  }

  return {
    async expect(id, open) {
      known.add(id)
      const opened = await open()
      if (!opened.ok && opened.fault.code !== 'ask_exists') known.delete(id)
      return opened
    },
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
          if (ask) {
            isOver(id)
            return ask
          }
          await ring.promise
          ring = Promise.withResolvers<void>()
        }
        // The asker is gone: a late answer belongs to the successor.
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
      return known.has(id) || lately.has(id)
    },
  }
}
