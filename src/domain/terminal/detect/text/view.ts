import type { Mark, Screen, ScreenLine } from '../../screen.ts'
import { boxesOf, contains } from './box.ts'
import { unitsBefore, widthOf } from '../../../../lib/text-width.ts'

/** A line as the program wrote it, with wrapped rows joined. */
export type Line = {
  text: string
  /** The rows it covers; rows above the screen are negative. */
  first: number
  last: number
  /** Marks of the first row. */
  marks: readonly Mark[]
}

/** The screen as lines, with the cursor's position in them. */
export type View = {
  screen: Screen
  lines: readonly Line[]
  /** Index of the cursor's line. */
  at: number
  /** The cursor's line before the cursor, including trailing spaces, and after it. */
  before: string
  after: string
  /** Index of the last line with text; -1 if there is none. */
  end: number
}

/** Only text this near the cursor is read: the cost of later steps grows up to quadratically. */
const longest = 600
/** Other long lines keep their start and more of their end. */
const longestHead = 300

export function viewOf(screen: Screen): View {
  const lines = joinWrapped(screen)
  const { row, col } = screen.cursor
  const at = Math.max(
    0,
    lines.findIndex(({ first, last }) => first <= row && row <= last),
  )
  const line = lines[at]
  const units = line === undefined ? 0 : cursorUnits(screen, line, row, col)
  const text = (line?.text ?? '').padEnd(units)
  return {
    screen,
    lines: lines.map(withoutMiddle),
    at,
    ...(inBox(screen) ?? {
      before: text.slice(Math.max(0, units - longest), units),
      after: text.slice(units, units + longest),
    }),
    end: lines.findLastIndex(({ text: shown }) => shown.trim() !== ''),
  }
}

const withoutMiddle = (line: Line): Line =>
  line.text.length <= longest
    ? line
    : { ...line, text: line.text.slice(0, longestHead) + line.text.slice(longestHead - longest) }

/** In a box drawn over other text, only the inside belongs to the line. */
function inBox(screen: Screen): Pick<View, 'before' | 'after'> | null {
  const { row, col } = screen.cursor
  const box = boxesOf(screen).findLast((drawn) => contains(drawn, row, col))
  if (box === undefined) return null
  const text = screen.lines[row]?.text ?? ''
  const at = unitsBefore(text, col)
  return {
    before: text.slice(box.left + 1, at).padEnd(col - box.left - 1),
    after: text.slice(at, Math.max(at, box.right)),
  }
}

function joinWrapped({ above, lines, cols }: Screen): Line[] {
  const joined: Line[] = []
  const rows = [...above, ...lines]
  for (const [index, { text, wrapped, marks }] of rows.entries()) {
    const row = index - above.length
    // Trailing spaces of a row were trimmed; restore them if the line continues.
    const next = rows[index + 1]
    const shown = next?.wrapped === true ? padTo(text, cols, next.text) : text
    const open = joined.at(-1)
    if (!wrapped || open === undefined) joined.push({ text: shown, first: row, last: row, marks })
    else {
      open.text += shown
      open.last = row
    }
  }
  return joined
}

/** A wide character that does not fit leaves the last column empty: that is no space. */
function padTo(text: string, columns: number, next = ''): string {
  const missing = Math.max(0, columns - widthOf(text))
  const first = next.codePointAt(0)
  const isWide = missing === 1 && first !== undefined && widthOf(String.fromCodePoint(first)) === 2
  return isWide ? text : text + ' '.repeat(missing)
}

function cursorUnits({ lines, cols }: Screen, line: Line, row: number, col: number): number {
  const before = lines
    .slice(Math.max(0, line.first), row)
    .reduce(
      (units, { text }, index) => units + padTo(text, cols, lines[Math.max(0, line.first) + index + 1]?.text).length,
      0,
    )
  const hidden = line.first < 0 ? line.text.length - visibleUnits(lines, line, cols) : 0
  return hidden + before + rowUnits(lines[row]?.text ?? '', col)
}

/** The length of the visible part of a line that begins above the screen. */
function visibleUnits(lines: Screen['lines'], { last }: Line, cols: number): number {
  return lines
    .slice(0, last + 1)
    .reduce(
      (units, { text }, row) => units + (row < last ? padTo(text, cols, lines[row + 1]?.text).length : text.length),
      0,
    )
}

/** Columns beyond the text count as spaces. */
function rowUnits(text: string, col: number): number {
  const width = widthOf(text)
  return width <= col ? text.length + (col - width) : unitsBefore(text, col)
}

/** Whether any of these columns has this mark. */
export const marked = (line: Pick<ScreenLine, 'marks'>, kind: Mark['kind'], from: number, to: number): boolean =>
  line.marks.some((mark) => mark.kind === kind && mark.from < to && mark.to > from)
