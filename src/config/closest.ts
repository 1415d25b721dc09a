import { snake } from './words.ts'

/** Edits (insert, delete, replace, swap of neighbours) from one word to another; more than `limit` counts as infinite. */
export function editDistance(from: string, to: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(from.length - to.length) > limit) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    let least = row
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) best = Math.min(best, (before[column - 2] ?? 0) + 1)
      line.push(best)
      if (best < least) least = best
    }
    if (least > limit) return Number.POSITIVE_INFINITY
    before = last
    last = line
  }
  const distance = last[to.length] ?? 0
  return distance > limit ? Number.POSITIVE_INFINITY : distance
}

const tolerance = (length: number): number => (length <= 4 ? 1 : length <= 8 ? 2 : 3)

/** The snake_case candidate a person most likely meant, or nothing when no candidate is near. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = snake(word)
  let found: string | undefined
  let best = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const limit = Math.min(best - 1, tolerance(Math.min(wanted.length, candidate.length)))
    const distance = editDistance(wanted, candidate, limit)
    if (distance < best) {
      best = distance
      found = candidate
    }
  }
  return found
}

/** The only candidate that has the word among its own: `port` for `http_port`. */
export function onlyContaining(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = snake(word)
  if (wanted.length < 3) return undefined
  const found = [...candidates].filter((candidate) => `_${candidate}_`.includes(`_${wanted}_`))
  return found.length === 1 ? found[0] : undefined
}
