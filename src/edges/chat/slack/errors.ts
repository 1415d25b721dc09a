import type { Failure } from '../adapter.ts'
import { retryAfterMs, usualRetryMs } from '../http-call.ts'

/** Codes of Slack's Web API, by what they mean for a message. A code that is not listed is permanent. */
const refused = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
  'org_login_required',
  'app_not_found',
  'app_uninstalled',
])
const gone = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'message_not_found',
  'thread_not_found',
  'user_not_found',
  'user_not_in_channel',
  'users_not_found',
  'user_disabled',
  'file_not_found',
])
/** Slack says of these that some part may have been done. */
const unsure = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])
const transient = new Set(['team_added_to_org', 'accesslimited'])
const limited = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded'])

/** `needed` is the missing scope, if Slack names it. */
export function failureOf(method: string, code: string, needed?: string): Failure {
  const error = `Slack answered ${code}${needed ? ` (${needed})` : ''} to ${method}`
  if (limited.has(code)) return { kind: 'rate_limited', error, retryAfterMs: usualRetryMs }
  if (refused.has(code)) return { kind: 'refused', error }
  if (gone.has(code)) return { kind: 'gone', error }
  if (unsure.has(code)) return { kind: 'unsure', error }
  return { kind: transient.has(code) ? 'transient' : 'permanent', error }
}

/** A response without Slack's JSON. Only a refusal before the method ran is certain. */
export function failureOfStatus(method: string, status: number, retryAfter: string | null): Failure {
  const error = `Slack answered ${status} to ${method}`
  if (status === 429) return { kind: 'rate_limited', error, retryAfterMs: retryAfterMs(retryAfter) }
  return { kind: status >= 400 && status < 500 && status !== 408 ? 'permanent' : 'unsure', error }
}
