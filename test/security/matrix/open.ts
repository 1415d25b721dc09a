import type { CallerName } from './callers.ts'

type Open = readonly [row: string | RegExp, callers: readonly CallerName[], area: string]

/**
 * Cells that are not yet as they are written: the test tolerates them, and fails once they are, so that each entry goes
 * with the change that closes it. At the end there is none.
 */
const open: readonly Open[] = []

export const isOpen = (row: string, caller: CallerName): boolean =>
  open.some(([name, callers]) => (typeof name === 'string' ? name === row : name.test(row)) && callers.includes(caller))

/** Rows that are written before there is anything behind them. */
const toCome: readonly string[] = []

export const isToCome = (name: string): boolean => toCome.includes(name)
