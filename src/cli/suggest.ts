import { closest } from '../config/closest.ts'

/** `Did you mean …?` for an unknown word. */
export function didYouMean(
  word: string,
  known: readonly string[],
  written = (name: string) => name,
): string | undefined {
  const wanted = word.replace(/^-+/, '')
  const start = wanted.length < 2 ? [] : known.filter((name) => name.startsWith(wanted))
  // closest compares words in snake_case.
  const near = closest(
    wanted,
    known.map((name) => name.replaceAll('-', '_')),
  )
  const found = near === undefined ? undefined : known.find((name) => name.replaceAll('-', '_') === near)
  const meant = start.length === 1 ? start[0] : found
  return meant === undefined ? undefined : `Did you mean ${written(meant)}?`
}
