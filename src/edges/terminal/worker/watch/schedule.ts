/** Output this long quiet is looked at. */
export const quietMs = 15
/** While it stays quiet and nothing is decided, counted from the last byte or key. */
const steps = [quietMs, 30, 45, 60, 82, 100, 125, 150, 175, 205, 250, 300, 400, 600, 1000]
const idleMs = 1000
/** Output that never stops is looked at this often. */
const floodMs = 250
/** A look that contradicts what was known is soon repeated. */
const doubtMs = 30
/** Looks may take one part in so many of the time. */
const share = 20

export type Times = {
  /** The last byte or key. */
  newsAt: number
  /** The first byte or key that no look has seen. Null: there is none. */
  unseenAt: number | null
  lookedAt: number
  /** What a look took, lately. */
  costMs: number
  /** It waits, and nothing speaks against it. */
  settled: boolean
  doubt: boolean
}

/** When to look next. */
export function nextLook({ newsAt, unseenAt, lookedAt, costMs, settled, doubt }: Times): number {
  if (doubt) return lookedAt + doubtMs
  const rest = lookedAt + Math.min(floodMs, costMs * share)
  if (unseenAt !== null) return Math.max(rest, Math.min(newsAt + quietMs, unseenAt + floodMs))
  const step = settled ? undefined : steps.find((after) => newsAt + after > lookedAt)
  return step === undefined ? lookedAt + idleMs : Math.max(rest, newsAt + step)
}
