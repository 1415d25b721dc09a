import type { IBufferCell, IBufferLine } from '@xterm/headless'
import type { Mark, ScreenLine } from '../../domain/terminal/screen.ts'

const kinds = ['inverse', 'bold', 'dim', 'underline', 'color'] as const

/** One row of the buffer as a line; `cell` is reused for each column. */
export function screenLine(line: IBufferLine | undefined, cols: number, cell: IBufferCell): ScreenLine {
  if (line === undefined) return { text: '', wrapped: false, marks: [] }
  return { text: line.translateToString(true), wrapped: line.isWrapped, marks: marksOf(line, cols, cell) }
}

/** Lines that scrolled out are read for their text alone. */
export const plainLine = (line: IBufferLine | undefined): ScreenLine => ({
  text: line?.translateToString(true) ?? '',
  wrapped: line?.isWrapped ?? false,
  marks: [],
})

/** A bit for each kind, in their order. */
function attributes(cell: IBufferCell): number {
  if (cell.isAttributeDefault()) return 0
  return (
    (cell.isInverse() === 0 ? 0 : 1) |
    (cell.isBold() === 0 ? 0 : 2) |
    (cell.isDim() === 0 ? 0 : 4) |
    (cell.isUnderline() === 0 ? 0 : 8) |
    (cell.isFgDefault() && cell.isBgDefault() ? 0 : 16)
  )
}

function marksOf(line: IBufferLine, cols: number, cell: IBufferCell): Mark[] {
  const marks: Mark[] = []
  const since = kinds.map(() => 0)
  let before = 0
  const change = (column: number, now: number): void => {
    for (const [bit, kind] of kinds.entries()) {
      const was = before & (1 << bit)
      if (was === (now & (1 << bit))) continue
      if (was === 0) since[bit] = column
      else marks.push({ from: since[bit] ?? 0, to: column, kind })
    }
    before = now
  }
  for (let column = 0; column < cols; column += 1) {
    const seen = line.getCell(column, cell)
    // The second half of a wide character looks like the first.
    if (seen === undefined || seen.getWidth() === 0) continue
    const now = attributes(seen)
    if (now !== before) change(column, now)
  }
  if (before !== 0) change(cols, 0)
  return marks
}
