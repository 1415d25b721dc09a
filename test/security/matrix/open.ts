import type { CallerName } from './callers.ts'

type Open = readonly [row: string | RegExp, callers: readonly CallerName[], area: string]

/**
 * Cells that do not hold yet: the test tolerates them, and fails once they hold, so that each entry is removed
 * with the change that fixes it. The goal is an empty list.
 */
const open: readonly Open[] = []

export const isOpen = (row: string, caller: CallerName): boolean =>
  open.some(([name, callers]) => (typeof name === 'string' ? name === row : name.test(row)) && callers.includes(caller))

/** Rows for features that do not exist yet. */
const toCome: readonly string[] = []

export const isToCome = (name: string): boolean => toCome.includes(name)
