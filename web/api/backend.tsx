import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, use, useSyncExternalStore, type ReactNode } from 'react'
import { clearPersonalData } from '../app/browser-storage.ts'
import { staleByAll, type CacheKey } from './freshness.ts'
import { createRefresher } from './refresher.ts'
import { onLoginChange, readLoginKey } from './login-key.ts'
import { createStream, type StreamConnection, type LiveData } from './stream.ts'
import { ApiError, browserClient, type Client } from './transport.ts'

/** Events within this time are handled in one refresh. */
const gatherMs = 60
/** How long to wait before a failed request is retried, if the stream does not recover first. */
const againMs = 5000

export type Backend = {
  client: Client
  queries: QueryClient
  feed: EventFeed
  retry(): void
  /** Settles when the server may be reachable again: the stream is back, or the wait is over. */
  again(): Promise<void>
  connection: { get(): StreamConnection; subscribe(changed: () => void): () => void }
}

/** Another person signed in with this browser: nothing on the page belongs to them. */
function loadForAnother(): void {
  clearPersonalData()
  location.reload()
}

/** The server as the pages see it: cached reads, refreshed by events. */
export function createBackend(): Backend {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // Events mark data as stale; nothing expires by time.
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < 2,
      },
      // Offline writes fail at once: sent later, they might no longer be wanted.
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  let connection: StreamConnection = 'connecting'
  let heardAs: string | null = null
  const watchers = new Set<() => void>()
  let stale = new Map<string, CacheKey>()
  let gathering: ReturnType<typeof setTimeout> | undefined
  const refresh = createRefresher((queryKey) => queries.invalidateQueries({ queryKey }))
  const refreshAll = () => {
    gathering = undefined
    const keys = [...stale.values()]
    stale = new Map()
    for (const key of keys) refresh(key)
  }
  const markStale = (key: CacheKey) => {
    stale.set(key.join('\n'), key)
    gathering ??= setTimeout(refreshAll, gatherMs)
  }
  const feed = createFeed((id) => stream.follow(id))
  const stream = createStream({
    events: (events) => staleByAll(events).forEach(markStale),
    live(frame) {
      feed.tell(frame)
      if (frame.type === 'terminal.state') markStale(['terminals'])
      if (frame.type === 'web_chat.changed' || frame.type === 'stream.open') markStale(['web-chats'])
    },
    missed: () => void queries.invalidateQueries(),
    heardAs(userId) {
      if (heardAs !== null && heardAs !== userId) loadForAnother()
      heardAs = userId
    },
    connection(state) {
      if (state === connection) return
      if (state === 'signed-out') {
        queries.clear()
        clearPersonalData()
      }
      // Retry what failed while offline.
      if (state === 'live') void queries.refetchQueries({ predicate: ({ state: { status } }) => status === 'error' })
      connection = state
      for (const watcher of watchers) watcher()
    },
  })
  stream.start()
  onLoginChange(async () => {
    const login = await readLoginKey()
    if (login === null || heardAs === null || login.userId === heardAs) return stream.retry()
    loadForAnother()
  })
  return {
    client: browserClient(stream.opened, stream.retry),
    queries,
    feed,
    retry: stream.retry,
    again: () =>
      new Promise((resolve) => {
        const end = () => {
          watchers.delete(heard)
          clearTimeout(timer)
          resolve()
        }
        const heard = () => {
          if (connection === 'live') end()
        }
        const timer = setTimeout(end, againMs)
        watchers.add(heard)
      }),
    connection: {
      get: () => connection,
      subscribe(changed) {
        watchers.add(changed)
        return () => watchers.delete(changed)
      },
    },
  }
}

const Context = createContext<Backend | null>(null)

export const BackendProvider = ({ backend, children }: { backend: Backend; children: ReactNode }) => (
  <Context value={backend}>
    <QueryClientProvider client={backend.queries}>{children}</QueryClientProvider>
  </Context>
)

export function useBackend(): Backend {
  const backend = use(Context)
  if (!backend) throw new Error('BackendProvider is missing')
  return backend
}

export const useClient = (): Client => useBackend().client

export function useConnection(): StreamConnection {
  const { connection } = useBackend()
  return useSyncExternalStore(connection.subscribe, connection.get)
}

type FeedListener = (frame: LiveData) => void

/** Passes live messages of the viewed session to the component that shows them. */
function createFeed(follow: (sessionId: string | null) => void) {
  const listeners = new Set<FeedListener>()
  return {
    tell(frame: LiveData): void {
      for (const listener of listeners) listener(frame)
    },
    /** Only the last requested session. */
    listen(sessionId: string, listener: FeedListener): () => void {
      listeners.add(listener)
      follow(sessionId)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) follow(null)
      }
    },
  }
}
type EventFeed = ReturnType<typeof createFeed>
