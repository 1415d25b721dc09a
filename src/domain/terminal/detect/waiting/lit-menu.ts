import { oneLine } from '../text/strip.ts'
import { marked, type View } from '../text/view.ts'
import type { Menu } from './menu.ts'
import { questionAbove, type Row } from './menu-question.ts'

/** A list whose chosen entry is only lit: lines under each other, or words beside each other. */
export const litMenu = (view: View, rows: readonly Row[], row: number): Menu | null =>
  litLines(view, rows, row) ?? litWords(view, rows, row)

/** The lit line holds the cursor, or the cursor is hidden near it. */
function litLines({ screen }: View, rows: readonly Row[], row: number): Menu | null {
  const { cursor, lines, alternate } = screen
  const near = cursor.hidden ? Math.abs(cursor.row - row) <= 20 : cursor.row === row
  const boxed = cursor.hidden && /^\s*[|│┃║].*[|│┃║]$/u.test((lines[row]?.text ?? '').trimEnd())
  if (alternate || !near || (cursor.col > 2 && !boxed)) return null
  const lit = (at: number): boolean => {
    const { text = '', marks = [] } = lines[at] ?? {}
    const start = text.length - text.trimStart().length
    // A single cell is a drawn cursor.
    const shown = marks.filter(({ from, to }) => !cursor.hidden || to - from > 1)
    return text.trim() !== '' && marked({ marks: shown }, 'inverse', start, text.trimEnd().length)
  }
  if (!lit(row)) return null
  const filled = (at: number): boolean => !/^\s*(?:[+┌╭└╰].*)?$/u.test(rows[at]?.text ?? '')
  let first = row
  let last = row
  while (first > 0 && filled(first - 1) && !/[?:]\s*$/.test(rows[first - 1]?.text ?? '')) first -= 1
  while (last + 1 < rows.length && filled(last + 1)) last += 1
  const block = rows.slice(first, last + 1)
  if (block.length < 2 || block.length > 20 || block.some((each) => each.row !== row && lit(each.row))) return null
  const above = questionAbove(rows, first)
  if (above.question === '') return null
  return {
    ...above,
    options: block.map((each) => ({ key: null, label: oneLine(each.text), selected: each.row === row })),
    last,
  }
}

/** One of the words of the cursor's row is lit, and the cursor hidden. */
function litWords({ screen }: View, rows: readonly Row[], row: number): Menu | null {
  const { cursor, lines, alternate } = screen
  const text = (rows[row]?.text ?? '').trimEnd()
  const marks = (lines[row]?.marks ?? []).filter(({ kind }) => kind === 'inverse')
  const [mark] = marks
  if (alternate || !cursor.hidden || cursor.row !== row || marks.length !== 1 || mark === undefined) return null
  const words = [...text.matchAll(/\S {2,}\S/.test(text) ? /\S+(?: \S+)*/gu : /\S+/gu)]
  const isLit = ({ index, 0: word }: RegExpExecArray): boolean => mark.from <= index && mark.to >= index + word.length
  const above = questionAbove(rows, row)
  if (words.length < 2 || words.filter(isLit).length !== 1 || above.question === '') return null
  return { ...above, options: words.map((word) => ({ key: null, label: word[0], selected: isLit(word) })), last: row }
}
