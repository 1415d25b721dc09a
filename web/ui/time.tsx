import { useSyncExternalStore } from 'react'
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
