import type { keyedFetch } from '../api/keyed-fetch.ts'
import type { PushAction } from './payload.ts'

type NotificationAnswer = Exclude<PushAction, 'open'>
/** The result as text, and whether it is final. */
export type AnswerResult = { words: string; over: boolean }

const said: Readonly<Record<NotificationAnswer, string>> = {
  approve: 'You approved it.',
  reject: 'You rejected it.',
  continue: 'You let it continue.',
  stop: 'You stopped it.',
}

/** The answer may have arrived; only the reply was lost. */
const unknown: AnswerResult = { words: 'No connection. Your answer may not have arrived. Tap to check.', over: false }

/** Answers an ask from a notification. Repeated taps send one answer. */
export async function answerAsk(
  askId: string,
  action: NotificationAnswer,
  send: typeof keyedFetch,
): Promise<AnswerResult> {
  let response: Response
  try {
    response = await send(`/api/asks/${encodeURIComponent(askId)}/answer`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': `notification:${askId}:${action}`,
      },
      body: JSON.stringify({ outcome: action }),
    })
  } catch {
    return unknown
  }
  return resultOf(response.status, await response.json().catch(() => null), action)
}

export function resultOf(status: number, body: unknown, action: NotificationAnswer): AnswerResult {
  if (status < 300) {
    const open = fieldOf(body, 'status') === 'open'
    return { words: open ? 'Your consent is counted. Someone else must consent too.' : said[action], over: true }
  }
  const message = fieldOf(fieldOf(body, 'error'), 'message')
  const words = typeof message === 'string' && message !== '' ? message : `The server answered ${status}.`
  if (status === 401) return { words: 'Not sent: you are signed out. Tap to sign in.', over: false }
  // Already answered or expired.
  if (status === 409 || status === 404) return { words, over: true }
  return { words: `Refused: ${words} Tap to open.`, over: false }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
