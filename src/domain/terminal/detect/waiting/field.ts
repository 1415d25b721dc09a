import { isDrawing, oneLine, question as questionMark, withoutBorders } from '../text/strip.ts'
import { boxesOf, contains, titleOf } from '../text/box.ts'
import type { View } from '../text/view.ts'
import { withoutFrame } from './menu-question.ts'

export type DrawnField = { question: string; row: number }

/** A program that hides the cursor and draws its own: one inverse cell in an input line. */
export function findField(view: View): DrawnField | null {
  if (!view.screen.cursor.hidden) return null
  const { lines } = view.screen
  const drawn = lines.findLastIndex(
    ({ text }, at) => /^[│┃]\s+\S*[█▏]$/u.test(text.trimEnd()) && questionMark.test(lines[at - 1]?.text.trim() ?? ''),
  )
  if (drawn !== -1) return { question: oneLine(lines[drawn - 1]?.text ?? ''), row: drawn }
  const row = lines.findLastIndex(({ marks }) => marks.some(isDrawnCursor))
  const line = lines[row]
  const mark = line?.marks.find(isDrawnCursor)
  if (line === undefined || mark === undefined) return null
  const before = withoutBorders(line.text.slice(0, mark.from).padEnd(mark.from)).trim()
  if (before !== '' && !isDrawing(before)) return { question: oneLine(before), row }
  for (let above = row - 1; above >= 0 && above > row - 4; above -= 1) {
    const text = withoutBorders(lines[above]?.text ?? '').trim()
    if (text !== '' && !isDrawing(text)) return { question: withoutFrame(oneLine(text)), row }
  }
  return null
}

const isDrawnCursor = ({ kind, from, to }: { kind: string; from: number; to: number }): boolean =>
  kind === 'inverse' && to - from === 1

/** An unanswered question of a prompt library: an answer would replace its `(Y/n)`. */
export function openQuestion(view: View): string | null {
  const line = view.lines[view.end]
  // A long question spans several lines, with its answer after the last.
  const several = /^.*\((?:Y\/n|y\/N)\)(?= ‣ (?:true|false)$)/u.exec(line?.text ?? '')?.[0]
  if (several !== undefined) return several.trim()
  if (line === undefined || !line.marks.some(({ kind, from }) => kind === 'color' && from === 0)) return null
  if (!questionMark.test(line.text)) return null
  const asked = /^.*\((?:Y\/n|y\/N)\)/.exec(line.text)?.[0]
  // Some libraries leave the cursor inside the question; the default follows the mark.
  return asked ?? (view.at === view.end ? (/^\?\s.*?\s[›‣](?=\s|$)/u.exec(line.text)?.[0] ?? null) : null)
}

/** A partly filled field in a box over other text: its label, or the title of a one-row box. */
export function findBoxField({ screen, before }: View): string | null {
  const { row, col, hidden } = screen.cursor
  const box = hidden ? undefined : boxesOf(screen).findLast((drawn) => contains(drawn, row, col))
  if (box === undefined) return null
  const label = /^\s*(\p{L}[\p{L} ]{0,40}[:?])\s+\S{0,60}$/u.exec(before)?.[1]
  if (label !== undefined) return oneLine(label)
  const title = titleOf(screen, box)
  return box.bottom - box.top === 2 && /\p{L}{3}/u.test(title) && /^\s?\S*$/u.test(before) ? title : null
}
