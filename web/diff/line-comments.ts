import type { DiffLine, ShownHunk } from './diff-model.ts'

/** `new` for lines of the result, `old` for removed ones. */
export type LinePlace = { file: string; side: 'old' | 'new'; line: number }
/** What a person says about one line of a change. */
export type LineComment = LinePlace & { quoted: string; text: string }

/** A review in progress: comments on lines, and files ticked as viewed. */
export type DiffReview = {
  readonly comments: readonly LineComment[]
  readonly viewed: ReadonlySet<string>
  setViewed(file: string, viewed: boolean): void
  /** Replaces the comment on the same line; an empty text removes it. Null: nothing can be said any more. */
  readonly comment: ((said: LineComment) => void) | null
}

export const placeKey = ({ side, line }: Pick<LinePlace, 'side' | 'line'>): string => `${side} ${line}`

/** Where a comment on this line goes: a line that stays is named by its new number. */
export function placeOf({ oldNumber, newNumber }: DiffLine): Pick<LinePlace, 'side' | 'line'> | null {
  if (newNumber !== null) return { side: 'new', line: newNumber }
  return oldNumber === null ? null : { side: 'old', line: oldNumber }
}

export const lineAt = (hunks: readonly ShownHunk[], place: Pick<LinePlace, 'side' | 'line'>): DiffLine | null => {
  const key = placeKey(place)
  for (const { lines } of hunks)
    for (const line of lines) {
      const here = placeOf(line)
      if (here && placeKey(here) === key) return line
    }
  return null
}

/** The line number that a click in a row of the table is about. */
export function clickedPlace(cell: HTMLTableCellElement, split: boolean): Pick<LinePlace, 'side' | 'line'> | null {
  const row = cell.closest('tr')
  if (!row) return null
  const numbers = [...row.querySelectorAll<HTMLTableCellElement>('td.diff-number')]
  const [first, second] = numbers.map(({ textContent }) => Number(textContent.trim()))
  const removed = (split ? numbers[0] : row)?.classList.contains('diff-removed') ?? false
  const isOld = split ? cell === numbers[0] && removed : second === undefined ? removed : !second
  const line = isOld ? first : (second ?? first)
  return line ? { side: isOld ? 'old' : 'new', line } : null
}
