import { useSyncExternalStore } from 'react'
import { safeText } from './safe-text.ts'
import { duration, exactTime, relativeTime } from './relative-time.ts'

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

/** How long ago: `21 s`. */
function TimeSince({ at }: { at: string }) {
  const current = Math.max(useNow(), Date.now() - 5000)
  return (
    <time dateTime={at} title={exactTime(at)}>
      {duration((current - Date.parse(at)) / 1000)}
    </time>
  )
}

/** A sentence of the server; its times are shown like all others, and “since 14:02” as “for 21 s”. */
export function WithTimes({ text }: { text: string }) {
  const parts = safeText(text).split(isoTime)
  return parts.map((part, index) => {
    if (!isoTime.test(part)) return isoTime.test(parts[index + 1] ?? '') ? part.replace(/\bsince $/, 'for ') : part
    const isSince = /\bsince $/.test(parts[index - 1] ?? '')
    return isSince ? <TimeSince key={index} at={part} /> : <Time key={index} at={part} />
  })
}
