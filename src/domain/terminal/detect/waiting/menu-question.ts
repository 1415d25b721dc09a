import { isDrawing, oneLine, question as questionMark } from '../text/strip.ts'

/** A row of the screen, without borders. */
export type Row = { text: string; row: number; wrapped: boolean }

/** How to go through a list. */
export const hint =
  /arrow|navigate|↑|↓|<space>|\bspace\b.*(?:select|toggle)|enter.*(?:confirm|select|submit|accept)|to (?:select|confirm|toggle|submit|cancel|move)|reveal more|type to (?:search|filter)/i

/** How to go through the list is no part of what is asked. */
const withoutHint = (question: string): string => /^(\?\s.*?\s›) - \S/u.exec(question)?.[1] ?? question

/** The question above a list, and its first row. */
export function questionAbove(rows: readonly Row[], first: number): { question: string; first: number } {
  let row = first - 1
  let skipped = 0
  for (; row >= 0 && skipped < 4; row -= 1) {
    const text = rows[row]?.text ?? ''
    if (text.trim() === '' || isDrawing(text) || (isOnlyHint(text) && rows[row]?.wrapped !== true)) skipped += 1
    else break
  }
  if (row < 0 || skipped >= 4) return { question: '', first }
  const top = markedRow(rows, row) ?? unwrapped(rows, row)
  const whole = row - top <= 2 ? row : top
  const joined = rows.slice(top, whole + 1).reduce((text, next) => text + (next.wrapped ? '' : ' ') + next.text, '')
  return { question: withoutHint(oneLine(joined)), first: top }
}

/** How to go through the list, and nothing that is asked before it. */
const isOnlyHint = (text: string): boolean =>
  hint.test(text) && !/[?:]/.test(text) && !/^\W*\p{L}[^()]{2,}\((?:press|use|move|type|↑|<)[^)]*\)?\s*$/iu.test(text)

/** The terminal broke it here: it began on the row above. */
function unwrapped(rows: readonly Row[], row: number): number {
  let top = row
  while (top > 0 && rows[top]?.wrapped === true) top -= 1
  return top
}

/** The row with the library's mark: long questions are broken over rows, and instructions may follow. */
function markedRow(rows: readonly Row[], row: number): number | undefined {
  for (let above = row; above >= 0 && above > row - 9; above -= 1) {
    const text = rows[above]?.text.trim() ?? ''
    if (text === '') return undefined
    if (questionMark.test(text)) return above
  }
  return undefined
}
