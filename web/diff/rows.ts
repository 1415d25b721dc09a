import type { DiffLine, ShownHunk } from './diff-model.ts'
import { wordsOf } from './changed-words.ts'

export type Layout = 'unified' | 'split'

/** `mate` finds the line this one was or became; computed only when rendered. */
export type UnifiedRow = { kind: 'line'; line: DiffLine; mate: (() => DiffLine | null) | null }
export type SplitRow = { kind: 'pair'; pair: Pair }
/** Unchanged lines that the diff leaves out. */
export type GapRow = { kind: 'gap'; count: number; heading: string; key: string }
/** Unchanged lines in the diff: folded, or shown below if `open`. */
export type FoldRow = { kind: 'fold'; count: number; key: string; open: boolean }
export type DiffRow = UnifiedRow | SplitRow | GapRow | FoldRow

/** Unchanged lines kept around a change. Fewer than `leastFolded` are not folded. */
const around = 3
const leastFolded = 6

/** `unfolded` null: nothing is folded. */
export type RowOptions = { layout: Layout; unfolded: ReadonlySet<string> | null }

/** The rows of a file. */
export function rowsOf(hunks: readonly ShownHunk[], options: RowOptions): DiffRow[] {
  const rows: DiffRow[] = []
  const budget = pairBudget()
  let oldEnd = 1
  for (const [index, hunk] of hunks.entries()) {
    const first = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart
    const count = Math.max(0, first - oldEnd)
    oldEnd = first + hunk.oldLines
    if (count > 0 || hunk.heading !== '') rows.push({ kind: 'gap', count, heading: hunk.heading, key: `gap:${index}` })
    addHunk(rows, hunk.lines, `${index}`, options, budget)
  }
  return rows
}

function addHunk(
  rows: DiffRow[],
  lines: readonly DiffLine[],
  key: string,
  options: RowOptions,
  budget: RowBudget,
): void {
  for (let at = 0; at < lines.length;) {
    const from = at
    const same = lines[at]?.op === ' '
    while (at < lines.length && (lines[at]?.op === ' ') === same) at += 1
    const run = lines.slice(from, at)
    if (same) addSame(rows, run, { key: `${key}:${from}`, begins: from === 0, ends: at === lines.length }, options)
    else addChanged(rows, run, options.layout, budget)
  }
}

type RowPosition = { key: string; begins: boolean; ends: boolean }

function addSame(
  rows: DiffRow[],
  run: readonly DiffLine[],
  { key, begins, ends }: RowPosition,
  options: RowOptions,
): void {
  const head = begins ? 0 : around
  const tail = ends ? 0 : around
  const count = run.length - head - tail
  const folds = options.unfolded !== null && count >= leastFolded
  const open = options.unfolded?.has(key) ?? false
  for (const [index, line] of run.entries()) {
    if (folds && index === head) rows.push({ kind: 'fold', count, key, open })
    if (!folds || open || index < head || index >= head + count) rows.push(sameRow(line, options.layout))
  }
}

/** Approximate number of rows while nothing is unfolded. */
export function unfoldedLines(lines: readonly DiffLine[]): number {
  let [count, run] = [0, 0]
  const most = 2 * around + 1
  for (const { op } of lines) {
    run = op === ' ' ? run + 1 : 0
    if (run <= most) count += 1
  }
  return count
}

const sameRow = (line: DiffLine, layout: Layout): DiffRow =>
  layout === 'unified'
    ? { kind: 'line', line, mate: null }
    : {
        kind: 'pair',
        pair: {
          left: line.oldNumber === null ? null : line,
          right: line.newNumber === null ? null : line,
          alike: false,
        },
      }

function addChanged(rows: DiffRow[], run: readonly DiffLine[], layout: Layout, budget: RowBudget): void {
  for (const { removed, added } of blocksOf(run)) {
    if (layout === 'split') {
      for (const pair of pairUp(removed, added, budget)) rows.push({ kind: 'pair', pair })
      continue
    }
    const mates = removed.length > 0 && added.length > 0 ? matesOf(removed, added) : null
    for (const line of [...removed, ...added])
      rows.push({ kind: 'line', line, mate: mates && (() => mates().get(line) ?? null) })
  }
}

function matesOf(removed: DiffLine[], added: DiffLine[]): () => Map<DiffLine, DiffLine> {
  let mates: Map<DiffLine, DiffLine> | null = null
  return () => {
    if (mates !== null) return mates
    mates = new Map()
    for (const { left, right, alike } of pairUp(removed, added, pairBudget()))
      if (alike && left && right) mates.set(left, right).set(right, left)
    return mates
  }
}

/** Removed lines and the added lines that follow them. */
function blocksOf(run: readonly DiffLine[]): { removed: DiffLine[]; added: DiffLine[] }[] {
  const blocks: { removed: DiffLine[]; added: DiffLine[] }[] = []
  let last: '+' | '-' | null = null
  for (const line of run) {
    if (last === null || (last === '+' && line.op === '-')) blocks.push({ removed: [], added: [] })
    last = line.op === '-' ? '-' : '+'
    const block = blocks.at(-1)
    if (line.op === '-') block?.removed.push(line)
    else block?.added.push(line)
  }
  return blocks
}

/** A removed line and the line beside it. `alike`: one became the other, so their words can be compared. */
type Pair = { left: DiffLine | null; right: DiffLine | null; alike: boolean }

/** Limit for line comparisons per file. */
type RowBudget = { left: number }
const pairBudget = (): RowBudget => ({ left: 10_000 })

const mostInBlock = 400
const longestLine = 400
const leastAlike = 0.4

/** Pairs removed with added lines, in order, by the words they share. */
function pairUp(removed: readonly DiffLine[], added: readonly DiffLine[], budget: RowBudget): Pair[] {
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
