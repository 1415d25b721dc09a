import type { DiffLine } from './diff-model.ts'
import type { DiffRow } from './rows.ts'

/** Rows rendered together when they come near the screen. */
export type RowChunk = { key: string; rows: DiffRow[]; start: number }

const rowsPerChunk = 50

export function chunksOf(rows: readonly DiffRow[]): RowChunk[] {
  return Array.from({ length: Math.ceil(rows.length / rowsPerChunk) }, (_, index) => {
    const start = index * rowsPerChunk
    return { key: `${start}`, rows: rows.slice(start, start + rowsPerChunk), start }
  })
}

export const shownCharacters = 2000
const tabWidth = 4

/** Columns of a line. Non-ASCII characters count as two, so this may be too wide. */
export function columnsOf(text: string): number {
  const shown = text.length > shownCharacters ? text.slice(0, shownCharacters) : text
  let columns = shown.length
  for (let at = 0; at < shown.length; at += 1) {
    const code = shown.charCodeAt(at)
    if (code === 9) columns += tabWidth - 1
    else if (code > 0x1100) columns += 1
  }
  return columns
}

export type Measure = { lineHeight: number; barHeight: number; columns: number | null }

/** Height of the rows: exact if lines are not wrapped (`columns` null), else an estimate. */
export const heightOf = (rows: readonly DiffRow[], { lineHeight, barHeight, columns }: Measure): number =>
  rows.reduce((sum, row) => {
    if (row.kind === 'gap' || row.kind === 'fold') return sum + barHeight
    if (columns === null) return sum + lineHeight
    const longest = Math.max(0, ...linesOf(row).map(({ text }) => columnsOf(text)))
    return sum + lineHeight * Math.max(1, Math.ceil(longest / columns))
  }, 0)

export function linesOf(row: DiffRow): DiffLine[] {
  if (row.kind === 'line') return [row.line]
  if (row.kind === 'pair') return [row.pair.left, row.pair.right].filter((line) => line !== null)
  return []
}
