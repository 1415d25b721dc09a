import type { DiffFile } from './diff-model.ts'
import { readDiff } from './read-diff.ts'

/** For tests. */
export function firstOf<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new Error('There is nothing in the list.')
  return first
}

export const fileOf = (...lines: string[]): DiffFile => firstOf(readDiff(`${lines.join('\n')}\n`, 'name.txt').files)
