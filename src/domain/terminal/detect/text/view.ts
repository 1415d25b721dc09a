import type { Mark, Screen, ScreenLine } from '../../screen.ts'
import { boxesOf, contains } from './box.ts'
import { unitsBefore, widthOf } from '../../../../lib/text-width.ts'

/** A line as the program wrote it: what the terminal wrapped is joined again. */
export type Line = {
  text: string
  /** Rows of the screen it stands on; those above the screen are negative. */
  first: number
  last: number
  /** Of the first row. */
  marks: readonly Mark[]
}

/** The screen as lines, and the cursor in them. */
export type View = {
  screen: Screen
  lines: readonly Line[]
  /** Index of the cursor's line. */
  at: number
  /** Text of the cursor's line up to the cursor, blanks at its end included, and from the cursor on. */
  before: string
  after: string
  /** Index of the last line with text; -1 where there is none. */
  end: number
}

/** Of a line without end only what is near the cursor counts. What follows costs up to the square of it. */
const longest = 1000
/** Of other lines the beginning, and more of the end. */
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

/** In a box that was drawn over something else, only what is inside belongs to the line. */
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
    // Blanks at the end of a row were cut off; where the line goes on they count.
    const shown = rows[index + 1]?.wrapped === true ? padTo(text, cols) : text
    const open = joined.at(-1)
    if (!wrapped || open === undefined) joined.push({ text: shown, first: row, last: row, marks })
    else {
      open.text += shown
      open.last = row
    }
  }
  return joined
}

const padTo = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - widthOf(text)))

function cursorUnits({ lines, cols }: Screen, line: Line, row: number, col: number): number {
  const before = lines
    .slice(Math.max(0, line.first), row)
    .reduce((units, { text }) => units + padTo(text, cols).length, 0)
  const hidden = line.first < 0 ? line.text.length - visibleUnits(lines, line, cols) : 0
  return hidden + before + rowUnits(lines[row]?.text ?? '', col)
}

/** Of a line that begins above the screen, the part on it. */
function visibleUnits(lines: Screen['lines'], { last }: Line, cols: number): number {
  return lines
    .slice(0, last + 1)
    .reduce((units, { text }, row) => units + (row < last ? padTo(text, cols).length : text.length), 0)
}

/** Beyond the text each column is a blank. */
function rowUnits(text: string, col: number): number {
  const width = widthOf(text)
  return width <= col ? text.length + (col - width) : unitsBefore(text, col)
}

/** Some part of the columns stands out in this way. */
export const marked = (line: Pick<ScreenLine, 'marks'>, kind: Mark['kind'], from: number, to: number): boolean =>
  line.marks.some((mark) => mark.kind === kind && mark.from < to && mark.to > from)
