/** What a browser is sent. Types only, without zod, so that the service worker stays small. */
export type PushAction = 'approve' | 'reject' | 'continue' | 'stop' | 'open'

export type PushType = 'needs_you' | 'done' | 'gone' | 'test'

export type PushPayload = {
  v: 1
  type: PushType
  /** A newer notification replaces an older one with the same tag. */
  tag: string
  title: string
  body: string
  /** The path it opens. */
  url: string
  askId?: string
  /** Answers without opening it; each platform decides how many it shows. */
  actions?: { action: PushAction; title: string }[]
  silent: boolean
  /** How many items wait for this person. */
  badge: number
  at: string
}

/** Push services accept 4096 encrypted bytes; some accept less. */
export const longestPayload = 3000
