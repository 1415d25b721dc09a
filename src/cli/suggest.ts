import { closest } from '../config/closest.ts'

/** `did you mean …?` for a word that is none of the known ones. */
export function didYouMean(
  word: string,
  known: readonly string[],
  written = (name: string) => name,
): string | undefined {
  const wanted = word.replace(/^-+/, '')
  const start = wanted.length < 2 ? [] : known.filter((name) => name.startsWith(wanted))
  // It compares words in snake_case.
  const near = closest(
    wanted,
    known.map((name) => name.replaceAll('-', '_')),
  )
  const found = near === undefined ? undefined : known.find((name) => name.replaceAll('-', '_') === near)
  const meant = start.length === 1 ? start[0] : found
  return meant === undefined ? undefined : `Did you mean ${written(meant)}?`
}
