/** What a browser is sent. Plain words without a checker, so that a service worker can carry them too. */
export type PushAction = 'approve' | 'reject' | 'continue' | 'stop' | 'open'

export type PushType = 'needs_you' | 'done' | 'gone' | 'test'

export type PushPayload = {
  v: 1
  type: PushType
  /** One notification at a time stands for a tag; a newer one takes the place of the older. */
  tag: string
  title: string
  body: string
  /** Where it leads: a path of ours. */
  url: string
  askId?: string
  /** Answers that can be given without opening it; each platform shows as many as it likes. */
  actions?: { action: PushAction; title: string }[]
  silent: boolean
  /** How many items wait for this person. */
  badge: number
  at: string
}

/** Push services take 4,096 bytes once encrypted; some leave less. */
export const longestPayload = 3000
