import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import { useClient } from '../../api/backend.tsx'
import { inboxQuery } from '../../api/queries.ts'
import { expectedAsk } from '../asks/expected-ask.ts'
import { useSending, wasAnsweredHere } from '../asks/use-answer.ts'
import { useIsWriting } from '../asks/actions/answer-in-progress.tsx'
import { leftSince, rowsOf, type Gone, type ListedItem } from './rows.ts'

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
  const rows: ListedItem[] = inbox.data
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

/** A second press this soon is meant for the answered item, not for the one that replaced it. */
const restMs = 350

/**
 * The selected item: the one in the address, else the first. It stays selected while it is in the list: something more
 * urgent must not replace it under a hand that is about to answer.
 */
export function useSelected(address: string | null, keys: readonly string[]) {
  const [pinned, setPinned] = useState<string | null>(null)
  const inWords = useIsWriting()
  const held = pinned !== null && (inWords || keys.includes(pinned)) ? pinned : (keys[0] ?? null)
  const selected = address ?? held
  if (pinned !== selected) setPinned(selected)
  const { resting, rest } = useRest()
  const before = useRef(selected)
  useEffect(() => {
    // Only if it changed without the person.
    if (address === null && before.current !== null && before.current !== selected) rest()
    before.current = selected
  }, [address, selected, rest])
  return { selected, resting, rest }
}

function useRest() {
  const [resting, setResting] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [rest] = useState(() => () => {
    clearTimeout(timer.current)
    setResting(true)
    timer.current = setTimeout(() => setResting(false), restMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return { resting, rest }
}
