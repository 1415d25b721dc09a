import { backoff } from '../../lib/backoff.ts'
import type { Reply } from './post.ts'

/** What a try means for the message, and for the device. */
export type Verdict =
  | { readonly kind: 'taken' }
  /** Nobody is there any more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'later'; readonly error: string; readonly afterMs: number }

export const mostAttempts = 12
const firstMs = 5_000
const longestMs = 3_600_000

/** `attempt` counts from 1. */
export function verdictOf(reply: Reply | Error, attempt: number, now: number): Verdict {
  if (reply instanceof Error) return later(reply.message, attempt, null, now)
  const { status, said } = reply
  if (status >= 200 && status < 300) return { kind: 'taken' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  const words = said.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  const error = `the push service answered ${status}${words === '' ? '' : `: ${words.slice(0, 200)}`}`
  if (status === 429 || status >= 500) return later(error, attempt, reply.retryAfter, now)
  return { kind: 'refused', error }
}

function later(error: string, attempt: number, retryAfter: string | null, now: number): Verdict {
  if (attempt >= mostAttempts) return { kind: 'refused', error: `${error} (tried ${attempt} times)` }
  const usual = backoff(attempt, firstMs, longestMs)
  return { kind: 'later', error, afterMs: Math.min(longestMs, Math.max(usual, askedFor(retryAfter, now))) }
}

/** Seconds, or a date. */
function askedFor(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}
