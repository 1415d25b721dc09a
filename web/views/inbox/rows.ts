import type { InboxItem } from '../../../src/client/contract/inbox.ts'

/** `gone`: no longer open; shown a moment longer to say why. */
export type ListedItem = { item: InboxItem; gone: boolean }
export type Gone = { item: InboxItem; place: number }

/** Rows that left the list, with their former index. */
export function leftSince(before: readonly InboxItem[], now: readonly InboxItem[]): Gone[] {
  const here = new Set(now.map(({ key }) => key))
  return before.flatMap((item, place) => (here.has(item.key) ? [] : [{ item, place }]))
}

/** The list with leaving rows at their former index. */
export function rowsOf(items: readonly InboxItem[], gone: readonly Gone[]): ListedItem[] {
  const rows: ListedItem[] = items.map((item) => ({ item, gone: false }))
  const here = new Set(items.map(({ key }) => key))
  for (const { item, place } of gone.toSorted((a, b) => a.place - b.place))
    if (!here.has(item.key)) rows.splice(place, 0, { item, gone: true })
  return rows
}

/** Items this person may answer come first. */
export const inGroups = (rows: readonly ListedItem[]): { mine: ListedItem[]; others: ListedItem[] } => ({
  mine: rows.filter(({ item }) => item.mine),
  others: rows.filter(({ item }) => !item.mine),
})

/** The item after (or before) an item; the next one if it has left; itself at the end. */
export function neighbour(keys: readonly string[], key: string | null, step: 1 | -1): string | null {
  const at = key === null ? -1 : keys.indexOf(key)
  if (at === -1) return keys[0] ?? null
  return keys[Math.min(keys.length - 1, Math.max(0, at + step))] ?? null
}

/** The item to show after an answer: the one below, else above, else none. */
export function afterAnswer(keys: readonly string[], key: string): string | null {
  const at = keys.indexOf(key)
  return keys[at + 1] ?? keys[at - 1] ?? null
}
