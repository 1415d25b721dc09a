import type { Failure } from '../adapter.ts'
import { RemoteError, type ErrorData } from './rpc.ts'

const usualRetryMs = 5000
const longestRetryMs = 3_600_000
/** Failed before anything was sent. */
const notConnected = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** What an error of an adapter means for a message. Where it does not say, the message may have arrived. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RemoteError) return failureOfData(error.data)
  return { kind: 'unsure', error: error instanceof Error ? error.message : String(error) }
}

function failureOfData({ name, code, message, retryAfter, cause }: ErrorData): Failure {
  const error = message
  // Some adapters put the platform's answer into the text.
  const told = retryAfter ?? Number(/retry_after"?\s*[:=]\s*([\d.]+)/.exec(message)?.[1] ?? NaN)
  if (code === 'RATE_LIMITED' || /rate.?limit/i.test(`${name} ${code ?? ''}`) || !Number.isNaN(told)) {
    const ms = Number.isNaN(told) ? usualRetryMs : Math.min(Math.max(told, 0) * 1000, longestRetryMs)
    return { kind: 'rate_limited', error, retryAfterMs: ms }
  }
  switch (code) {
    case 'AUTH_FAILED':
      return { kind: 'refused', error }
    case 'NOT_FOUND':
    case 'PERMISSION_DENIED':
      return { kind: 'gone', error }
    case 'VALIDATION_ERROR':
    case 'NOT_SUPPORTED':
    case 'NOT_IMPLEMENTED':
      return { kind: 'permanent', error }
    default:
      return { kind: [code, cause].some((one) => one && notConnected.includes(one)) ? 'transient' : 'unsure', error }
  }
}
