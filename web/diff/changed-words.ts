import { diffArrays } from 'diff'

/** Start and end, in characters. */
export type WordRange = readonly [from: number, to: number]
export type WordChanges = { old: WordRange[]; new: WordRange[] }

const mostCharacters = 1000
const mostEdits = 200
const word = /[\p{L}\p{N}_$]+|\s+|./gsu

export const wordsOf = (text: string): string[] => text.match(word) ?? []

/** The changed words of a changed line; null if little is alike, or comparing would take too long. */
export function wordChanges(before: string, after: string): WordChanges | null {
  if (before.length > mostCharacters || after.length > mostCharacters) return null
  const changes = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: mostEdits })
  if (changes === undefined) return null
  const result: WordChanges = { old: [], new: [] }
  let [oldAt, newAt, alike] = [0, 0, 0]
  for (const { added, removed, value } of changes) {
    const length = value.reduce((sum, text) => sum + text.length, 0)
    if (removed) push(result.old, oldAt, oldAt + length)
    if (added) push(result.new, newAt, newAt + length)
    if (!removed && !added) alike += value.join('').replaceAll(/\s/g, '').length
    if (!added) oldAt += length
    if (!removed) newAt += length
  }
  const least = Math.min(before.replaceAll(/\s/g, '').length, after.replaceAll(/\s/g, '').length)
  return alike * 4 < least ? null : result
}

/** One mark reads better than two separated by a space. */
function push(ranges: WordRange[], from: number, to: number): void {
  const last = ranges.at(-1)
  if (last !== undefined && from - last[1] <= 1) ranges[ranges.length - 1] = [last[0], to]
  else ranges.push([from, to])
}
