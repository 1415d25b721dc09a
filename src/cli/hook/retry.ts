import { setTimeout as pause } from 'node:timers/promises'
import { backoff } from '../../lib/backoff.ts'
import { codeOf } from './session.ts'

/** How long a server may be unreachable, and how often to retry. */
export type RetryLimits = { readonly awayMs: number; readonly firstMs: number; readonly longestMs: number }

export const defaultRetryLimits: RetryLimits = { awayMs: 10 * 60_000, firstMs: 250, longestMs: 5000 }

const passing = ['no_server', 'connection_lost', 'stopping', 'unavailable', 'shutting_down']

/** Retries while the server is unreachable, for example during a restart. Other errors are thrown. */
export async function retryWhileAway<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { awayMs, firstMs, longestMs }: RetryLimits = defaultRetryLimits,
): Promise<T> {
  const until = Date.now() + awayMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error) || Date.now() > until) throw error
      await pause(backoff(attempt, firstMs, longestMs), undefined, { signal })
    }
  }
}

function isPassing(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : null
  return status === 503 || passing.includes(codeOf(error) ?? '')
}
