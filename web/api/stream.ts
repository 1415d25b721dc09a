import type { Event } from '../../src/domain/audit/schema.ts'
import { keyedFetch } from './keyed-fetch.ts'
import { createSseReader, type ServerSentEvent } from '../../src/client/sse.ts'
import { anyJson, isTaggedBy, ownJson } from '../../src/lib/parse-json.ts'

export type StreamConnection = 'connecting' | 'live' | 'lost' | 'signed-out'
export type LiveData = { type: string; data: unknown }

type StreamHooks = {
  /** Events in order, in batches as they arrived. */
  events(events: readonly Event[]): void
  /** Live data that is never stored: streamed text, terminal state. */
  live(frame: LiveData): void
  /** Events may have been missed: everything must be read again. */
  missed(): void
  connection(state: StreamConnection): void
  /** Whose events these are; called on every reconnect. */
  heardAs(userId: string): void
}

const isEvent = isTaggedBy<Event>('cursor')

export type ServerEvents = {
  start(): void
  /** The session whose live messages are included. Events always come. */
  follow(sessionId: string | null): void
  /** Settles when events arrive, or after a short limit. Reads after that have no gap. */
  readonly opened: Promise<void>
  /** Reconnects now instead of waiting. */
  retry(): void
}

const firstMs = 500
const longestMs = 10_000
/** Limit for the first byte: a request to an unreachable host may never fail. */
const unansweredMs = 10_000
/** The server sends a heartbeat every 15 seconds; after this long without one the connection is dead. */
const silentMs = 40_000
/** A hidden tab disconnects after this: a browser has six connections for all its tabs. */
const unseenMs = 60_000
const patienceMs = 1500

/** The event stream of this tab. It resumes where it stopped. */
export function createStream(hooks: StreamHooks, ask: typeof keyedFetch = keyedFetch): ServerEvents {
  let cursor: string | null = null
  let everOpen = false
  /** A read may have started without the stream. */
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
    // The log is a different one: it was restored, or this is another server.
    if (response.status === 400) cursor = null
    if (!response.ok || !response.body) throw new Error(`events: ${response.status}`)
    hooks.heardAs(response.headers.get('x-signalbox-user') ?? '')
    if (cursor === null && (everOpen || isLate)) hooks.missed()
    everOpen = true
    hooks.connection('live')
    settle()
    // What has live messages is read again: some may have come between reading and listening.
    hooks.live({ type: 'stream.open', data: null })
    const frames = createSseReader()
    const text = new TextDecoder()
    let watchdog = setTimeout(abort, silentMs)
    try {
      // Some browsers can't iterate over streams.
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
      // Retry after any error, unless a retry is already scheduled.
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
      // Also during the first connect, which does not request it.
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
        // A locked phone freezes pages at once. Disconnect first, or the server thinks someone is looking and does not notify.
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
      // Tabs opened in the background may never be viewed; a few of them would use up all connections.
      if (!document.hidden) void run()
    },
  }
}
