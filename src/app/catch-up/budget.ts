import { bySeverity, oneLine, severities, type Item, type Severity } from './item.ts'

export type Omitted = Readonly<Record<Severity, number>>
export type ShapeItem<T> = (item: Item) => T

const bytesPerToken = 4
/** No single item takes more than this part of the space, so that others fit too. */
const largestPart = 0.25
const longestBrief = 120

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

export const roomOf = (tokens: number): number => tokens * bytesPerToken

export const countOf = (items: readonly Item[]): Omitted => {
  const counts = { low: 0, medium: 0, high: 0, critical: 0 }
  for (const { severity } of items) counts[severity] += 1
  return counts
}

/**
 * Chooses what is reported: most important first, then newest, each with its context if that fits and as one line if not;
 * then sorted by time. `frame` is the text around the items and counts too.
 */
export function fit<T>(
  items: readonly Item[],
  options: { tokens: number; minSeverity: Severity; shape: ShapeItem<T>; frame: (omitted: Omitted) => object },
): { events: T[]; omitted: Omitted } | null {
  const { shape, minSeverity } = options
  const room = roomOf(options.tokens)
  // Counts only shrink from here, and so does the space they take.
  let left = room - sizeOf({ ...options.frame(countOf(items)), events: [] })
  if (left < 0) return null
  const chosen = new Map<Item, Item>()
  const largest = Math.floor(room * largestPart)
  const size = (one: Item): number => sizeOf(shape(one)) + 1
  const put = (one: Item, form: Item): boolean => {
    const before = chosen.get(one)
    const more = size(form) - (before ? size(before) : 0)
    if (more > left) return false
    chosen.set(one, form)
    left -= more
    return true
  }
  const full = (one: Item): Item => shortened(one, largest, size)
  for (const severity of severities.toReversed().filter((each) => bySeverity(each, minSeverity) >= 0)) {
    const wanted = items.filter((one) => one.severity === severity).toReversed()
    // Every critical item gets at least a line before any of them gets more.
    if (severity === 'critical') for (const one of wanted) if (!put(one, brief(one))) break
    const those = severity === 'critical' ? wanted.filter((one) => chosen.has(one)) : wanted
    if (!those.every((one) => put(one, full(one)) || put(one, brief(one)))) break
    if (those.length < wanted.length) break
  }
  const shown = items.flatMap((one) => chosen.get(one) ?? [])
  return { events: shown.map(shape), omitted: countOf(items.filter((one) => !chosen.has(one))) }
}

const brief = (one: Item): Item => ({
  ...one,
  text: oneLine(one.text, longestBrief),
  context: [],
  last: one.last === null ? null : oneLine(one.last, longestBrief / 2),
})

/** Drops context from its start until it fits: the end is closest to what happens now. */
function shortened(one: Item, largest: number, size: (one: Item) => number): Item {
  if (size(one) <= largest) return one
  let context = one.context
  let form = one
  while (context.length > 0) {
    context = context.slice(Math.ceil(context.length / 4))
    form = { ...one, context: ['⋯', ...context] }
    if (size(form) <= largest) return form
  }
  const words = oneLine(one.text, Math.max(longestBrief, Math.floor(largest / 2)))
  return { ...one, text: words, context: [] }
}
