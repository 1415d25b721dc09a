import type { Context } from './context.ts'
import { renderTable, type Column } from './columns.ts'
import { wrapLines } from './wrap-lines.ts'

/** The API's own JSON for programs, words for people. */
export function show<T>(context: Context, value: T, words: (value: T) => string): void {
  if (context.json) context.out.json(value)
  else context.out.print(words(value))
}

/** A table, or a sentence where there is nothing in it. */
export const tableOr = <T>(
  context: Context,
  rows: readonly T[],
  columns: readonly Column<T>[],
  otherwise: string,
): string => (rows.length === 0 ? wrapLines(otherwise, context.out.width) : renderTable(rows, columns, context.out))
