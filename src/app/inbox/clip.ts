import type { Ask } from '../../domain/ask/schema.ts'

const longestText = 1000
const longestList = 200

/** An ask with its long texts shortened: enough to show what it is about, small enough to send two hundred. */
export function clipAsk(ask: Ask): { ask: Ask; clipped: boolean } {
  const seen = { clipped: false }
  const description = clipValue(ask.description, seen)
  // Types stay the same, so a clipped subject is still a valid subject.
  const subject = clipValue(ask.subject, seen)
  return { ask: { ...ask, description, subject }, clipped: seen.clipped }
}

function clipValue<T>(value: T, seen: { clipped: boolean }): T
function clipValue(value: unknown, seen: { clipped: boolean }): unknown {
  if (typeof value === 'string') {
    if (value.length <= longestText) return value
    seen.clipped = true
    const cut = value.slice(0, longestText)
    // Never cuts a surrogate pair.
    return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
  }
  if (Array.isArray(value)) {
    if (value.length > longestList) seen.clipped = true
    return value.slice(0, longestList).map((one: unknown) => clipValue(one, seen))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clipValue<unknown>(one, seen)]))
}
