import type { Context } from './context.ts'
import { renderTable, type Column } from './columns.ts'
import { wrapLines } from './wrap-lines.ts'

/** Prints JSON for programs, text for people. */
export function printResult<T>(context: Context, value: T, words: (value: T) => string): void {
  if (context.json) context.out.json(value)
  else context.out.print(words(value))
}

/** A table, or a sentence if it is empty. */
export const tableOr = <T>(
  context: Context,
  rows: readonly T[],
  columns: readonly Column<T>[],
  otherwise: string,
): string => (rows.length === 0 ? wrapLines(otherwise, context.out.width) : renderTable(rows, columns, context.out))
