import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { SessionId } from '../../../../src/domain/session/id.ts'
import { useBackend, type Backend } from '../../../api/backend.tsx'
import type { LiveFrame } from '../../../api/stream.ts'
import type { Client } from '../../../api/transport.ts'
import { applyFrame } from './frames.ts'
import { emptyThread, freshLimit, mergeNewest, mergeOlder, startAnew, type Thread } from './thread.ts'

/** What is told within so short a time is drawn at once. */
const gatherMs = 40
/** While the agent speaks, the session is looked at so often. */
const lookMs = 4000
const pageSize = 50
const mostAtOnce = 200

const keyOf = (id: SessionId) => ['conversation', id, 'thread'] as const

/** The newest messages; where some are known already, only what may be new is read. */
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
      return mergeNewest(known(), more.page, more.askedAt) ?? startAnew(more.page, known().heard)
    },
    // What was written while nobody looked made no event.
    refetchOnMount: 'always',
  })

/** The conversation of a session, kept whole by what is told live and by what is read. */
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
  let waiting: LiveFrame[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let lookedAt = Date.now()
  // One that is under way goes on: a burst must not put the answer off for ever.
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
    // What was used, and what the agent calls itself, is told by no event.
    if (Date.now() - lookedAt > lookMs) {
      lookedAt = Date.now()
      void queries.invalidateQueries({ queryKey: ['session', id], exact: true }, { cancelRefetch: false })
    }
  }
  const stop = feed.listen(id, (frame) => {
    // Between reading and listening something may have been said.
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
