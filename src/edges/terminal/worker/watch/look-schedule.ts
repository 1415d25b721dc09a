/** Look after this long without output. */
export const quietMs = 15
/** Further looks while nothing is decided, counted from the last byte or key. */
const steps = [quietMs, 30, 45, 60, 82, 100, 125, 150, 175, 205, 250, 300, 400, 600, 1000]
const idleMs = 1000
/** How often to look while output never stops. */
const floodMs = 250
/** A look that contradicts what was known is repeated soon. */
const doubtMs = 30
/** Looks may take one part in this many of the time. */
const share = 20
/** The largest debt: the first looks are slow, and a few in a row do no harm. */
const allowedMs = 250

export type LookTimes = {
  /** The last byte or key. */
  newsAt: number
  /** The first byte or key since the last look, or null. */
  unseenAt: number | null
  lookedAt: number
  /** Time that looks took beyond their share. */
  debtMs: number
  /** It waits, and nothing contradicts that. */
  settled: boolean
  doubt: boolean
}

/** When to look next. */
export function nextLook({ newsAt, unseenAt, lookedAt, debtMs, settled, doubt }: LookTimes): number {
  if (doubt) return lookedAt + doubtMs
  const rest = lookedAt + Math.min(floodMs, Math.max(0, debtMs - allowedMs) * share)
  if (unseenAt !== null) return Math.max(rest, Math.min(newsAt + quietMs, unseenAt + floodMs))
  const step = settled ? undefined : steps.find((after) => newsAt + after > lookedAt)
  return step === undefined ? lookedAt + idleMs : Math.max(rest, newsAt + step)
}

/** Time pays the debt off; a look adds to it. */
export const debtAfter = (debtMs: number, sinceMs: number, spentMs: number): number =>
  Math.max(0, debtMs - sinceMs / share) + spentMs
