import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { SessionId } from '../../../../src/domain/session/id.ts'
import { useBackend, type Backend } from '../../../api/backend.tsx'
import type { LiveData } from '../../../api/stream.ts'
import type { Client } from '../../../api/transport.ts'
import { applyFrame } from './live-frames.ts'
import { emptyThread, freshLimit, mergeNewest, mergeOlder, restartThread, type Thread } from './thread.ts'

/** Frames within this time are rendered together. */
const gatherMs = 40
/** How often the session is read while the agent writes. */
const lookMs = 4000
const pageSize = 50
const mostAtOnce = 200

const keyOf = (id: SessionId) => ['conversation', id, 'thread'] as const

/** The newest messages; if some are known, only possible changes are read. */
const threadQuery = (client: Client, queries: QueryClient, id: SessionId) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async (): Promise<Thread> => {
      const known = () => queries.getQueryData<Thread>(keyOf(id)) ?? emptyThread
      const before = known()
      const read = async (limit: number) => ({
        askedAt: known().heard,
        page: await client.conversation({ params: { id }, query: { limit } }),
      })
      const first = await read(before.messages.length === 0 ? pageSize : freshLimit(before))
      const merged = mergeNewest(known(), first.page, first.askedAt)
      if (merged) return merged
      const more = await read(mostAtOnce)
      return mergeNewest(known(), more.page, more.askedAt) ?? restartThread(more.page, known().heard)
    },
    // Text written while nobody listened made no event.
    refetchOnMount: 'always',
  })

/** The conversation of a session, from live frames and reads. */
export function useThread(id: SessionId) {
  const backend = useBackend()
  const { client, queries } = backend
  const options = threadQuery(client, queries, id)
  const query = useQuery(options)
  useEffect(() => listen(backend, id), [backend, id])

  const loading = useRef(false)
  const [older, setOlder] = useState<{ error: unknown } | 'loading' | null>(null)
  const next = query.data?.next ?? null
  const loadOlder = useCallback(async () => {
    if (loading.current || next === null) return
    loading.current = true
    setOlder('loading')
    try {
      const page = await client.conversation({ params: { id }, query: { limit: pageSize, before: next } })
      queries.setQueryData<Thread>(keyOf(id), (thread) => thread && mergeOlder(thread, page))
      setOlder(null)
    } catch (error) {
      setOlder({ error })
    } finally {
      loading.current = false
    }
  }, [client, queries, id, next])

  return { query, older, loadOlder }
}

function listen({ queries, feed, connection }: Backend, id: SessionId): () => void {
  const queryKey = keyOf(id)
  let waiting: LiveData[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let lookedAt = Date.now()
  // Do not restart a running read: a burst of events must not postpone it forever.
  const readAgain = () => void queries.invalidateQueries({ queryKey }, { cancelRefetch: false })

  const apply = () => {
    timer = undefined
    const frames = waiting
    const thread = queries.getQueryData<Thread>(queryKey)
    if (!thread) {
      timer = setTimeout(apply, gatherMs)
      return
    }
    waiting = []
    const now = new Date().toISOString()
    const next = frames.reduce((known, frame) => applyFrame(known, frame, id, now), thread)
    if (next !== thread) queries.setQueryData<Thread>(queryKey, next)
    if (next.gap) readAgain()
    // Usage and the agent's own title have no events.
    if (Date.now() - lookedAt > lookMs) {
      lookedAt = Date.now()
      void queries.invalidateQueries({ queryKey: ['session', id], exact: true }, { cancelRefetch: false })
    }
  }
  const stop = feed.listen(id, (frame) => {
    // Messages may have come between reading and listening.
    if (frame.type === 'stream.open') return readAgain()
    waiting.push(frame)
    timer ??= setTimeout(apply, gatherMs)
    return undefined
  })
  let was = connection.get()
  const unwatch = connection.subscribe(() => {
    if (was !== 'live' && connection.get() === 'live') readAgain()
    was = connection.get()
  })
  return () => {
    clearTimeout(timer)
    stop()
    unwatch()
  }
}
