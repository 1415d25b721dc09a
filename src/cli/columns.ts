import { cleanLine } from './clean-text.ts'
import type { Colour, Output } from './output.ts'
import { fit, pad, textWidth } from './text-width.ts'
import { wrapLines } from './wrap-lines.ts'

export type Cell = string | { text: string; colour: Colour }
export type Column<T> = {
  readonly title: string
  readonly cell: (row: T) => Cell
  /** Shrinks first if the terminal is narrow. */
  readonly shrinks?: true
}

const gap = 2
const textOf = (cell: Cell): string => cleanLine(typeof cell === 'string' ? cell : cell.text)

/** Aligned columns that fit the width. Columns that are empty in every row are left out. */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { width, paint }: Pick<Output, 'width' | 'paint'>,
): string {
  const shown = columns
    .map((column) => ({ ...column, cells: rows.map((row) => column.cell(row)) }))
    .filter(({ cells }) => cells.some((cell) => textOf(cell) !== ''))
  const natural = shown.map(({ title, cells }) =>
    Math.max(textWidth(title), ...cells.map((cell) => textWidth(textOf(cell)))),
  )
  const widths = shrink(
    natural,
    shown.map(({ shrinks }) => shrinks === true),
    width,
  )
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, index) => {
        const columnWidth = widths[index] ?? 0
        const text = fit(textOf(cell), columnWidth)
        const filled = index === cells.length - 1 ? '' : ' '.repeat(Math.max(0, columnWidth - textWidth(text)))
        return (typeof cell === 'string' ? text : paint(cell.colour, text)) + filled
      })
      .join(' '.repeat(gap))
      .trimEnd()
  const head = line(shown.map(({ title }) => ({ text: title, colour: 'dim' })))
  return [head, ...rows.map((_, row) => line(shown.map(({ cells }) => cells[row] ?? '')))].join('\n')
}

/** Which columns shrink, and to which width: first those marked, then the others, last the first column. */
const turns: readonly { readonly least: number; readonly gives: (shrinks: boolean, index: number) => boolean }[] = [
  { least: 8, gives: (shrinks) => shrinks },
  { least: 5, gives: (shrinks) => shrinks },
  { least: 8, gives: (_shrinks, index) => index > 0 },
  { least: 3, gives: (_shrinks, index) => index > 0 },
  { least: 1, gives: () => true },
]

/** Shrinks the widest columns until the table fits. */
function shrink(natural: readonly number[], mayShrink: readonly boolean[], width: number): number[] {
  const widths = [...natural]
  let over = widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1) - width
  for (const { least, gives } of turns) {
    while (over > 0) {
      const candidates = widths.flatMap((one, index) =>
        gives(mayShrink[index] === true, index) && one > least ? [{ one, index }] : [],
      )
      const [widest, next] = candidates.toSorted((a, b) => b.one - a.one)
      if (!widest) break
      const room = Math.max(1, widest.one - Math.max(least, next?.one ?? least))
      const taken = Math.min(over, room)
      widths[widest.index] = widest.one - taken
      over -= taken
    }
  }
  return widths
}

/** `Name  value` lines. Empty values are left out; long values wrap. */
export function renderFields(
  fields: readonly (readonly [string, Cell | null])[],
  { paint, width = Number.POSITIVE_INFINITY }: Pick<Output, 'paint'> & Partial<Pick<Output, 'width'>>,
): string {
  const shown = fields.flatMap(([name, cell]) => (cell === null || textOf(cell) === '' ? [] : [{ name, cell }]))
  const names = Math.max(0, ...shown.map(({ name }) => textWidth(name)))
  return shown
    .map(({ name, cell }) => {
      const lines = wrapLines(textOf(cell), width - names - gap).split('\n')
      const painted = typeof cell === 'string' ? lines : lines.map((line) => paint(cell.colour, line))
      return `${paint('dim', pad(name, names))}  ${painted.join(`\n${' '.repeat(names + gap)}`)}`
    })
    .join('\n')
}
