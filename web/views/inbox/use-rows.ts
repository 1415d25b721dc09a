import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import { useClient } from '../../api/backend.tsx'
import { inboxQuery } from '../../api/queries.ts'
import { expectedAsk } from '../asks/expected-ask.ts'
import { useSending, wasAnsweredHere } from '../asks/use-answer.ts'
import { leftSince, rowsOf, type Gone, type Row } from './rows.ts'

/** How long an answered row stays, to show who answered. */
const lingerMs = 4000

/** The displayed list: without items being answered here, with those just answered by others. */
export function useRows() {
  const inbox = useQuery(inboxQuery(useClient()))
  const sending = useSending()
  const gone = useGone(inbox.data?.items)
  const isLeaving = (item: InboxItem): boolean => {
    const answer = item.kind === 'ask' ? sending.get(item.ask.id) : undefined
    return item.kind === 'ask' && answer !== undefined && expectedAsk(item.ask, answer, '', '').status !== 'open'
  }
  const rows: Row[] = inbox.data
    ? rowsOf(
        inbox.data.items.filter((item) => !isLeaving(item)),
        gone,
      )
    : []
  return { inbox, rows }
}

function useGone(items: readonly InboxItem[] | undefined): Gone[] {
  const queries = useQueryClient()
  const [gone, setGone] = useState<Gone[]>([])
  const before = useRef<readonly InboxItem[]>([])
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  const compare = useEffectEvent((now: readonly InboxItem[]) => {
    const left = leftSince(before.current, now).filter(
      ({ item }) => !(item.kind === 'ask' && wasAnsweredHere(queries, item.ask.id)),
    )
    before.current = now
    if (left.length === 0) return
    setGone((earlier) => [...earlier, ...left])
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setGone((earlier) => earlier.filter((one) => !left.includes(one)))
    }, lingerMs)
    timers.current.add(timer)
  })
  useEffect(() => {
    if (items) compare(items)
  }, [items])
  useEffect(() => {
    const running = timers.current
    return () => running.forEach((timer) => clearTimeout(timer))
  }, [])
  return gone
}
