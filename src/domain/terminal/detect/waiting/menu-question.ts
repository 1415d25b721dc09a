import { widthOf } from '../../../../lib/text-width.ts'
import { isDrawing, oneLine, question as questionMark } from '../text/strip.ts'

/** A row of the screen, without borders. */
export type MenuRow = { text: string; row: number; wrapped: boolean }

/** Tells how to navigate a list. */
export const hint =
  /arrow|navigate|↑|↓|<space>|\bspace\b.*(?:select|toggle)|enter.*(?:confirm|select|submit|accept)|to (?:select|confirm|toggle|submit|cancel|move)|reveal more|type to (?:search|filter)/i

/** The usual screen width: a row this long may break inside a word. */
const fullWidth = 80

/** The navigation hint is not part of the question. */
const withoutHint = (question: string): string => /^(\?\s.*?\s›) - \S/u.exec(question)?.[1] ?? question

/** The question above a list, and its first row. */
export function questionAbove(rows: readonly MenuRow[], first: number): { question: string; first: number } {
  let row = first - 1
  let skipped = 0
  for (; row >= 0 && skipped < 4; row -= 1) {
    const text = rows[row]?.text ?? ''
    if (
      text.trim() === '' ||
      isDrawing(text) ||
      /^\s*(?:search|filter):/iu.test(text) ||
      (isOnlyHint(text) && rows[row]?.wrapped !== true)
    )
      skipped += 1
    else break
  }
  if (row < 0 || skipped >= 4) return { question: '', first }
  const asked = /[.。]\s*$/u.test(rows[row]?.text ?? '') ? explained(rows, row) : noted(rows, row)
  if (asked !== undefined) return { question: oneLine(rows[asked]?.text ?? ''), first: asked }
  const top = markedRow(rows, row) ?? unwrapped(rows, row)
  const whole = row - top <= 2 ? row : top
  const joined = rows.slice(top, whole + 1).reduce((text, next, at) => {
    // Some libraries break lines themselves, exactly at the screen edge.
    const isFull = widthOf(rows[top + at - 1]?.text ?? '') >= fullWidth && /[\p{L}\p{N}]$/u.test(text)
    return text + (next.wrapped || isFull ? '' : ' ') + next.text
  }, '')
  return { question: withoutFrame(withoutHint(oneLine(joined))), first: top }
}

/** Only a navigation hint, without a question before it. */
const isOnlyHint = (text: string): boolean =>
  hint.test(text) && !/[?:]/.test(text) && !/^\W*\p{L}[^()]{2,}\((?:press|use|move|type|↑|<)[^)]*\)?\s*$/iu.test(text)

/** A title is part of the border of its box. */
export const withoutFrame = (text: string): string =>
  text.replace(/^[┌╭╔┏├][─━═]*\s+/u, '').replace(/\s+[─━═]+[┐╮╗┓┤]?$/u, '')

/** The question above the lines that explain it. */
function explained(rows: readonly MenuRow[], row: number): number | undefined {
  for (let above = row - 1; above >= 0 && above > row - 8; above -= 1)
    if (/^\s*[^✔✓◇✖\s].*\p{L}\s*[?？]\s*$/u.test(rows[above]?.text ?? '') && rows[above]?.wrapped !== true) return above
  return undefined
}

/** The question, if a note is below it. */
const noted = (rows: readonly MenuRow[], row: number): number | undefined =>
  !/[?:？：]\s*$|[?？]/u.test(rows[row]?.text ?? '') && /^\s*\p{L}.*\p{L}[?？]\s*$/u.test(rows[row - 1]?.text ?? '')
    ? row - 1
    : undefined

/** The row where a line that the terminal wrapped begins. */
export function unwrapped(rows: readonly MenuRow[], row: number): number {
  let top = row
  while (top > 0 && rows[top]?.wrapped === true) top -= 1
  return top
}

/** The row with the library's mark: long questions span rows, and instructions may follow. */
function markedRow(rows: readonly MenuRow[], row: number): number | undefined {
  for (let above = row; above >= 0 && above > row - 9; above -= 1) {
    const text = rows[above]?.text.trim() ?? ''
    if (text === '' || text === '?') return undefined
    if (questionMark.test(text) && rows[above]?.wrapped !== true) return above
  }
  return undefined
}
