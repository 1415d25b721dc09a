import type { keyedFetch } from '../api/keyed-fetch.ts'
import type { PushAction } from './payload.ts'

type Answer = Exclude<PushAction, 'open'>
/** What came of it, in words, and whether that is the end of it. */
export type Came = { words: string; over: boolean }

const said: Readonly<Record<Answer, string>> = {
  approve: 'You approved it.',
  reject: 'You rejected it.',
  continue: 'You let it continue.',
  stop: 'You stopped it.',
}

/** It may have arrived all the same, and only its reply was lost. */
const unknown: Came = { words: 'No connection. Your answer may not have arrived. Tap to check.', over: false }

/** Answers an ask from a notification, once however often it is tapped. */
export async function answerAsk(askId: string, action: Answer, send: typeof keyedFetch): Promise<Came> {
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
  return cameOf(response.status, await response.json().catch(() => null), action)
}

export function cameOf(status: number, body: unknown, action: Answer): Came {
  if (status < 300) {
    const open = fieldOf(body, 'status') === 'open'
    return { words: open ? 'Your consent is counted. Someone else must consent too.' : said[action], over: true }
  }
  const message = fieldOf(fieldOf(body, 'error'), 'message')
  const words = typeof message === 'string' && message !== '' ? message : `The server answered ${status}.`
  if (status === 401) return { words: 'Not sent: you are signed out here. Tap to sign in.', over: false }
  // Somebody was first, or it expired: there is nothing left to answer.
  if (status === 409 || status === 404) return { words, over: true }
  return { words: `Refused: ${words} Tap to open it.`, over: false }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
