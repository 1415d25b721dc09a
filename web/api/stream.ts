import type { Event } from '../../src/domain/audit/schema.ts'
import { keyedFetch } from './keyed-fetch.ts'
import { createSseReader, type ServerSentEvent } from '../../src/client/sse.ts'
import { anyJson, isTaggedBy, ownJson } from '../../src/lib/parse-json.ts'

export type Connection = 'connecting' | 'live' | 'lost' | 'signed-out'
export type LiveFrame = { type: string; data: unknown }

type Hooks = {
  /** What happened, in order, in the pieces it came in. */
  events(events: readonly Event[]): void
  /** What is never stored: text as it is written, the state of a terminal. */
  live(frame: LiveFrame): void
  /** Something may have happened that nobody told: everything is to be read anew. */
  missed(): void
  connection(state: Connection): void
  /** Whose events these are, each time they are heard anew. */
  heardAs(userId: string): void
}

const isEvent = isTaggedBy<Event>('cursor')

export type EventStream = {
  start(): void
  /** Which session's live messages come along; the log comes always. */
  follow(sessionId: string | null): void
  /** Settles when events are heard, or soon after all the same: what is read then leaves no gap. */
  readonly opened: Promise<void>
  /** Now, instead of when it is time to. */
  retry(): void
}

const firstMs = 500
const longestMs = 10_000
/** So long the first word of the server may take: a request into nowhere is never refused. */
const unansweredMs = 10_000
/** The server says something every 15 seconds: after so long without, the connection is dead. */
const silentMs = 40_000
/** Out of sight for so long it is let go: a browser has six connections for all its tabs. */
const unseenMs = 60_000
const patienceMs = 1500

/** The one stream of this tab: it goes on where it was after any gap. */
export function createStream(hooks: Hooks, ask: typeof keyedFetch = keyedFetch): EventStream {
  let cursor: string | null = null
  let everOpen = false
  /** Somebody may have begun to read without hearing. */
  let isLate = false
  let followed: string | null = null
  let attempt = 0
  let current: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const { promise: opened, resolve: settle } = Promise.withResolvers<void>()

  const address = () => {
    const query = new URLSearchParams()
    if (cursor !== null) query.set('after', cursor)
    if (followed !== null) query.set('live', followed)
    if (!document.hidden) query.set('looking', 'true')
    return `/api/events?${query}`
  }

  function take(frames: readonly ServerSentEvent[]): void {
    const events: Event[] = []
    for (const { id, type, data } of frames) {
      if (id !== null) cursor = id
      if (id === null) hooks.live({ type, data: ownJson(data, 'A frame of the server', anyJson) })
      else events.push(ownJson(data, 'An event of the server', isEvent))
    }
    if (events.length > 0) hooks.events(events)
  }

  async function read(signal: AbortSignal, abort: () => void): Promise<'again' | 'signed-out'> {
    const patience = setTimeout(abort, unansweredMs)
    const response = await ask(address(), { signal, headers: { accept: 'text/event-stream' } }).finally(() =>
      clearTimeout(patience),
    )
    if (response.status === 401) return 'signed-out'
    // The log is not the one we know: it was restored, or is another server's.
    if (response.status === 400) cursor = null
    if (!response.ok || !response.body) throw new Error(`events: ${response.status}`)
    hooks.heardAs(response.headers.get('x-signalbox-user') ?? '')
    if (cursor === null && (everOpen || isLate)) hooks.missed()
    everOpen = true
    hooks.connection('live')
    settle()
    // Who shows that session reads anew: something may have been said between reading and listening.
    if (followed !== null) hooks.live({ type: 'stream.open', data: null })
    const frames = createSseReader()
    const text = new TextDecoder()
    let watchdog = setTimeout(abort, silentMs)
    try {
      // Not by iteration, which streams of some browsers do not have.
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        attempt = 0
        clearTimeout(watchdog)
        watchdog = setTimeout(abort, silentMs)
        take(frames(text.decode(value, { stream: true })))
      }
    } finally {
      clearTimeout(watchdog)
    }
    return 'again'
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    current?.abort()
    const own = new AbortController()
    current = own
    try {
      const end = await read(own.signal, () => {
        if (current === own) hooks.connection('lost')
        own.abort(new Error('silent'))
      })
      if (end === 'signed-out') {
        settle()
        return hooks.connection('signed-out')
      }
    } catch {
      // Whatever it was: it is tried again, unless somebody else does already.
    }
    if (current !== own) return
    current = null
    if (document.hidden && timer === undefined) return
    attempt += 1
    if (attempt > 1 || !navigator.onLine) hooks.connection('lost')
    timer = setTimeout(() => void run(), Math.min(longestMs, firstMs * 2 ** (attempt - 1)))
  }

  const again = () => {
    attempt = 0
    void run()
  }

  return {
    opened,
    retry: again,
    follow(sessionId) {
      if (sessionId === followed) return
      followed = sessionId
      // Also while the first one is on its way: that one does not ask for it.
      if (current !== null || everOpen) again()
    },
    start() {
      setTimeout(() => {
        isLate = !everOpen
        settle()
      }, patienceMs)
      hooks.connection('connecting')
      let unseen: ReturnType<typeof setTimeout> | undefined
      document.addEventListener('visibilitychange', () => {
        clearTimeout(unseen)
        if (document.hidden) unseen = setTimeout(letGo, unseenMs)
        // A phone that is put away is frozen at once: whoever looks no more has to be gone before that, or is not notified.
        again()
      })
      const letGo = () => {
        clearTimeout(timer)
        timer = undefined
        const open = current
        current = null
        open?.abort()
      }
      window.addEventListener('online', () => document.hidden || again())
      window.addEventListener('offline', () => hooks.connection('lost'))
      // Opened in the background, and perhaps never looked at: a handful of such tabs would take all connections.
      if (!document.hidden) void run()
    },
  }
}
