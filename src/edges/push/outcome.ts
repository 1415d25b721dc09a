import type { SendOutcome } from '../../domain/outbox/records.ts'
import type { PushReply } from './post.ts'

/** What a push service's answer means for the message, and for the device. */
export function outcomeOf(reply: PushReply | Error, now: number): SendOutcome {
  if (reply instanceof Error) return { kind: 'transient', error: reply.message }
  const { status, said, retryAfter } = reply
  if (status >= 200 && status < 300) return { kind: 'sent' }
  const words = said.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  const error = `the push service answered ${status}${words === '' ? '' : `: ${words.slice(0, 200)}`}`
  if (status === 404 || status === 410) return { kind: 'gone', error }
  if (status === 429 || (status >= 500 && retryAfter !== null))
    return { kind: 'rate_limited', error, retryAfterMs: askedFor(retryAfter, now) }
  return { kind: status >= 500 ? 'transient' : 'permanent', error }
}

/** Seconds, or a date. */
function askedFor(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}
