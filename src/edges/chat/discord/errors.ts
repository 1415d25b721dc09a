import type { Failure } from '../adapter.ts'

/** A failure with Discord's own code, if it sent one. */
export type RestFailure = Failure & { readonly code?: number }

export const codes = {
  unknownChannel: 10003,
  unknownMessage: 10008,
  unknownWebhook: 10015,
  alreadyAcknowledged: 40060,
  wrongChannelType: 50024,
  threadExists: 160004,
} as const

/** Codes that say that a chat, a message or a person cannot be reached any more, whatever their status. */
const gone = new Set<number>([
  codes.unknownChannel,
  10004, // Unknown guild
  codes.unknownMessage,
  10013, // Unknown user
  codes.unknownWebhook,
  10062, // Unknown interaction
  50001, // Missing access
  50007, // This person takes no direct messages from us
  50027, // The token of the interaction has expired
  50083, // The thread is archived and locked
])

/** Too many edits of a message that is older than an hour. It works later. */
const tooManyEdits = 30046

/** Discord says how long to wait; a proxy in front of it may not. */
const usualRetryMs = 30_000
const longestRetryMs = 3_600_000

export function retryMs(seconds: unknown): number {
  const asked = typeof seconds === 'string' && seconds.trim() !== '' ? Number(seconds) : seconds
  return typeof asked === 'number' && Number.isFinite(asked) && asked >= 0
    ? Math.min(Math.ceil(asked * 1000), longestRetryMs)
    : usualRetryMs
}

export type Refusal = {
  readonly status: number
  readonly code?: number | undefined
  readonly message?: string | undefined
  /** In seconds. */
  readonly retryAfter?: unknown
}

/** What an answer other than 2xx means. Only a refusal before anything was done is certain. */
export function failureOfAnswer(what: string, { status, code, message, retryAfter }: Refusal): RestFailure {
  const reason = code ? ` (${code}${message ? `: ${message.slice(0, 200)}` : ''})` : ''
  const error = `${what} failed: Discord answered ${status}${reason}`
  const known = code ? { code } : {}
  if (status === 429 || code === tooManyEdits)
    return { kind: 'rate_limited', error, retryAfterMs: retryMs(retryAfter), ...known }
  if (status === 403 || (code !== undefined && gone.has(code))) return { kind: 'gone', error, ...known }
  if (status === 401) return { kind: 'refused', error, ...known }
  return { kind: status >= 400 && status < 500 && status !== 408 ? 'permanent' : 'unsure', error, ...known }
}
