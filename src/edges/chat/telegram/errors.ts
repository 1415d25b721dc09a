import type { Failure } from '../adapter.ts'
import { retryAfterMs } from '../http-call.ts'

/** What the Bot API answered to a call that failed. */
export type Refusal = {
  readonly code: number
  readonly description: string
  readonly retryAfter: number | null
}

/** Of a chat, topic or message that is not there, or not for us. All of them come with the code 400. */
const gone = [
  'chat not found',
  'user not found',
  'peer_id_invalid',
  'message thread not found',
  'topic_deleted',
  'message to edit not found',
  'message to react not found',
  'message_id_invalid',
  'group chat was upgraded',
  'group is deactivated',
  'chat_write_forbidden',
]

export const says = ({ error }: { readonly error: string }, words: string): boolean =>
  error.toLowerCase().includes(words)

export function failureOf(method: string, { code, description, retryAfter }: Refusal): Failure {
  const error = `Telegram answered ${code} to ${method}: ${description.slice(0, 300)}`
  if (code === 429)
    return { kind: 'rate_limited', error, retryAfterMs: retryAfterMs(retryAfter === null ? null : String(retryAfter)) }
  // The address contains the token, so a token that is not one is "not found".
  if (code === 401 || code === 404) return { kind: 'refused', error }
  if (code === 403 || gone.some((words) => says({ error }, words))) return { kind: 'gone', error }
  // Another program receives the updates; see `poll.ts`.
  if (code === 409) return { kind: 'transient', error }
  return { kind: code >= 400 && code < 500 && code !== 408 ? 'permanent' : 'unsure', error }
}

/** An answer without Telegram's JSON, perhaps of a proxy. */
export function failureOfStatus(method: string, status: number, retryAfter: string | null): Failure {
  const error = `the answer to ${method} (status ${status}) is not from Telegram`
  if (status === 429) return { kind: 'rate_limited', error, retryAfterMs: retryAfterMs(retryAfter) }
  return { kind: status >= 400 && status < 500 && status !== 408 ? 'permanent' : 'unsure', error }
}
