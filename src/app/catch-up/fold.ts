import { isImportant, type Item } from './item.ts'

/** The common form of lines that differ only in numbers, hashes, paths and file names. */
export const normalForm = (text: string): string =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => (/[^\s/\\.:][/\\.:][^\s]/.test(word) ? '#' : word.replaceAll(/[0-9a-f]{7,}|\d+/gi, '#')))
    .join(' ')

/**
 * Folds similar items into one with a count and the first and last of them. Important items are folded only if they are
 * adjacent: the same error after something else is reported again.
 */
export function foldItems(items: readonly Item[]): Item[] {
  const folded: Item[] = []
  const known = new Map<string, number>()
  const newest = new Map<string, number>()
  for (const one of items) {
    const session = one.sessionId ?? ''
    const key = one.likeness === null ? null : `${session} ${one.severity} ${one.kind} ${one.likeness}`
    const place = key === null ? undefined : known.get(key)
    const before = place === undefined ? undefined : folded[place]
    const follows = place !== undefined && newest.get(session) === place
    if (before && place !== undefined && (follows || !isImportant(one))) {
      const last = one.text === before.text && before.last === null ? null : one.text
      folded[place] = { ...before, times: before.times + one.times, last }
      newest.set(session, place)
      continue
    }
    folded.push(one)
    if (key !== null) known.set(key, folded.length - 1)
    newest.set(session, folded.length - 1)
  }
  return folded
}

/** Runs of similar lines: the first, the count, the last. */
export function foldLines(lines: readonly string[]): string[] {
  const told: string[] = []
  for (let at = 0; at < lines.length;) {
    const first = lines[at] ?? ''
    const form = normalForm(first)
    let end = at + 1
    while (end < lines.length && normalForm(lines[end] ?? '') === form) end += 1
    if (end - at < 3) told.push(...lines.slice(at, end))
    else told.push(first, `⋯ ×${end - at}`, lines[end - 1] ?? '')
    at = end
  }
  return told
}
