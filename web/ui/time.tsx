import { useSyncExternalStore } from 'react'
import { safeText } from './safe-text.ts'
import { exactTime, relativeTime } from './relative-time.ts'

// One clock for all times on the page.
const listeners = new Set<() => void>()
let now = Date.now()
let ticking: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  ticking ??= setInterval(() => {
    now = Date.now()
    for (const one of listeners) one()
  }, 5000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

/** Relative time; the exact time on hover. */
export function Time({ at, className }: { at: string; className?: string }) {
  const current = useNow()
  return (
    <time dateTime={at} title={exactTime(at)} className={className}>
      {relativeTime(at, Math.max(current, Date.now() - 5000))}
    </time>
  )
}

const isoTime = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)/

/** A sentence of the server; its times are shown like all others. */
export const WithTimes = ({ text }: { text: string }) =>
  safeText(text)
    .split(isoTime)
    .map((part, index) => (isoTime.test(part) ? <Time key={index} at={part} /> : part))
