import { cleanLine } from './clean-text.ts'
import type { Colour, Output } from './output.ts'
import { fit, pad, textWidth } from './text-width.ts'

export type Cell = string | { text: string; colour: Colour }
export type Column<T> = {
  readonly title: string
  readonly cell: (row: T) => Cell
  /** Gives way when the terminal is narrow; other columns keep their width. */
  readonly shrinks?: true
}

const gap = 2
const least = 8
const textOf = (cell: Cell): string => cleanLine(typeof cell === 'string' ? cell : cell.text)

/** Aligned columns that fit the width; a column that is empty in every row is left out. */
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

/** Takes what is too much from the widest columns that may give way. */
function shrink(natural: readonly number[], mayShrink: readonly boolean[], width: number): number[] {
  const widths = [...natural]
  let over = widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1) - width
  while (over > 0) {
    const candidates = widths.flatMap((one, index) => (mayShrink[index] && one > least ? [{ one, index }] : []))
    const [widest, next] = candidates.toSorted((a, b) => b.one - a.one)
    if (!widest) break
    const room = Math.max(1, widest.one - Math.max(least, next?.one ?? least))
    const taken = Math.min(over, room)
    widths[widest.index] = widest.one - taken
    over -= taken
  }
  return widths
}

/** `Name  value` lines; those without a value are left out. */
export function renderFields(
  fields: readonly (readonly [string, Cell | null])[],
  { paint }: Pick<Output, 'paint'>,
): string {
  const shown = fields.flatMap(([name, cell]) => (cell === null || textOf(cell) === '' ? [] : [{ name, cell }]))
  const width = Math.max(0, ...shown.map(({ name }) => textWidth(name)))
  return shown
    .map(({ name, cell }) => {
      const text = textOf(cell)
      return `${paint('dim', pad(name, width))}  ${typeof cell === 'string' ? text : paint(cell.colour, text)}`
    })
    .join('\n')
}
