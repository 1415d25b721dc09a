import type { PushAction, PushPayload } from './payload.ts'

/** Data attached to a notification, read when it is tapped. */
export type NotificationData = { url: string; askId: string | null; title: string; tag: string; badge: number }

/** Notification options as platforms accept them; the DOM type has only some. */
export type NotificationContent = {
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
    data: NotificationData
  }
  /** Closes after a moment: nothing left to do. */
  passing: boolean
}

const frame = { icon: '/icon-192.png', badge: '/badge-96.png' }

export function contentOf(payload: PushPayload): NotificationContent {
  const { type, title, body, tag, url, askId, actions, silent, badge } = payload
  const needsYou = type === 'needs_you'
  return {
    title,
    options: {
      ...frame,
      body,
      tag,
      silent,
      // A second alert with the same tag is new; a replacement is not.
      renotify: needsYou && !silent,
      requireInteraction: needsYou && !silent,
      timestamp: Date.parse(payload.at) || 0,
      // A tap opens it, so no button is needed.
      actions: (actions ?? []).filter(({ action }) => action !== 'open' || needsYou),
      data: { url, askId: askId ?? null, title, tag, badge },
    },
    passing: type === 'gone',
  }
}

/** Shown if a newer server sends a kind this worker does not know. */
export const unknownContent: NotificationContent = {
  title: 'Signalbox',
  options: {
    ...frame,
    body: 'Something happened. Open Signalbox for details.',
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

/** The result of an answer. If it did not arrive, the notification stays. */
export function resultContent(carried: NotificationData, words: string, passing: boolean): NotificationContent {
  const { title, tag } = carried
  const options = { ...unknownContent.options, body: words, tag, silent: true, data: carried }
  return { title, options, passing }
}

export const isAnswer = (action: string): action is Exclude<PushAction, 'open'> =>
  ['approve', 'reject', 'continue', 'stop'].includes(action)
