import type { PushAction, PushPayload } from './payload.ts'

/** What a notification carries to whoever taps it. */
export type Carried = { url: string; askId: string | null; title: string; tag: string; badge: number }

/** As platforms take it; the type of the language knows only half of it. */
export type Shown = {
  title: string
  options: {
    body: string
    tag: string
    icon: string
    badge: string
    silent: boolean
    renotify: boolean
    requireInteraction: boolean
    timestamp: number
    actions: { action: string; title: string }[]
    data: Carried
  }
  /** Closed again after a moment: there is nothing left to do. */
  passing: boolean
}

const frame = { icon: '/icon-192.png', badge: '/badge-96.png' }

export function shownOf(payload: PushPayload): Shown {
  const { type, title, body, tag, url, askId, actions, silent, badge } = payload
  const needsYou = type === 'needs_you'
  return {
    title,
    options: {
      ...frame,
      body,
      tag,
      silent,
      // The second alert of a tag is news too; what merely takes its place is not.
      renotify: needsYou && !silent,
      requireInteraction: needsYou && !silent,
      timestamp: Date.parse(payload.at) || 0,
      // Tapping it opens it; that needs no button.
      actions: (actions ?? []).filter(({ action }) => action !== 'open' || needsYou),
      data: { url, askId: askId ?? null, title, tag, badge },
    },
    passing: type === 'gone',
  }
}

/** What is said where a newer server sends what this worker does not know. */
export const unknownShown: Shown = {
  title: 'Signalbox',
  options: {
    ...frame,
    body: 'Something happened. Open it to see what.',
    tag: 'signalbox',
    silent: false,
    renotify: false,
    requireInteraction: false,
    timestamp: 0,
    actions: [],
    data: { url: '/', askId: null, title: 'Signalbox', tag: 'signalbox', badge: 0 },
  },
  passing: false,
}

/** What became of an answer; where it did not get there, the notification stays, to be opened. */
export function outcomeShown(carried: Carried, words: string, passing: boolean): Shown {
  const { title, tag } = carried
  const options = { ...unknownShown.options, body: words, tag, silent: true, data: carried }
  return { title, options, passing }
}

export const isAnswer = (action: string): action is Exclude<PushAction, 'open'> =>
  ['approve', 'reject', 'continue', 'stop'].includes(action)
