import type { DiffLine } from './diff-model.ts'
import { wordsOf } from './changed-words.ts'

/** A removed line and the line beside it. `alike`: one became the other, so their words can be compared. */
export type Pair = { left: DiffLine | null; right: DiffLine | null; alike: boolean }

/** Limit for line comparisons per file. */
export type Budget = { left: number }
export const pairBudget = (): Budget => ({ left: 10_000 })

const mostInBlock = 400
const longestLine = 400
const leastAlike = 0.4

/** Pairs removed with added lines, in order, by the words they share. */
export function pairUp(removed: readonly DiffLine[], added: readonly DiffLine[], budget: Budget): Pair[] {
  const cells = removed.length * added.length
  if (cells === 0) return besides(removed, added, false)
  const tooMuch = cells > mostInBlock || cells > budget.left
  if (tooMuch || [...removed, ...added].some(({ text }) => text.length > longestLine))
    return besides(removed, added, true)
  budget.left -= cells
  const pairs: Pair[] = []
  let [oldAt, newAt] = [0, 0]
  for (const [oldIndex, newIndex] of bestMatches(removed, added)) {
    pairs.push(...besides(removed.slice(oldAt, oldIndex), added.slice(newAt, newIndex), false))
    pairs.push({ left: removed[oldIndex] ?? null, right: added[newIndex] ?? null, alike: true })
    ;[oldAt, newAt] = [oldIndex + 1, newIndex + 1]
  }
  return [...pairs, ...besides(removed.slice(oldAt), added.slice(newAt), false)]
}

const besides = (left: readonly DiffLine[], right: readonly DiffLine[], alike: boolean): Pair[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, index) => ({
    left: left[index] ?? null,
    right: right[index] ?? null,
    alike: alike && index < left.length && index < right.length,
  }))

function bestMatches(removed: readonly DiffLine[], added: readonly DiffLine[]): [number, number][] {
  const [olds, news] = [removed.map(bagOf), added.map(bagOf)]
  const width = news.length + 1
  const best = new Float64Array((olds.length + 1) * width)
  const scores = new Float64Array(best.length)
  const at = (row: number, column: number): number => row * width + column
  for (let row = olds.length - 1; row >= 0; row -= 1)
    for (let column = news.length - 1; column >= 0; column -= 1) {
      const score = likeness(olds[row], news[column])
      const together = score < leastAlike ? 0 : score + (best[at(row + 1, column + 1)] ?? 0)
      scores[at(row, column)] = together
      best[at(row, column)] = Math.max(together, best[at(row + 1, column)] ?? 0, best[at(row, column + 1)] ?? 0)
    }
  const matches: [number, number][] = []
  for (let [row, column] = [0, 0]; row < olds.length && column < news.length;) {
    const value = best[at(row, column)] ?? 0
    if (value === 0) break
    if (scores[at(row, column)] === value) matches.push([row++, column++])
    else if (best[at(row + 1, column)] === value) row += 1
    else column += 1
  }
  return matches
}

type Bag = { words: Map<string, number>; size: number }

function bagOf({ text }: DiffLine): Bag {
  const words = new Map<string, number>()
  let size = 0
  for (const word of wordsOf(text)) {
    if (word.trim() === '') continue
    words.set(word, (words.get(word) ?? 0) + 1)
    size += word.length
  }
  return { words, size }
}

/** Share of common words, 0 to 1. */
function likeness(one: Bag | undefined, other: Bag | undefined): number {
  if (one === undefined || other === undefined || one.size + other.size === 0) return 0
  let shared = 0
  for (const [word, count] of one.words) shared += word.length * Math.min(count, other.words.get(word) ?? 0)
  return (2 * shared) / (one.size + other.size)
}
