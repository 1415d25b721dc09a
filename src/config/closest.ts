import { editDistance } from '../lib/edit-distance.ts'
import { snake } from './describe-value.ts'

const tolerance = (length: number): number => (length <= 4 ? 1 : length <= 8 ? 2 : 3)

/** The snake_case candidate most likely meant, or undefined if none is close. */
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

/** The only candidate that contains the word: `http_port` for `port`. */
export function onlyContaining(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = snake(word)
  if (wanted.length < 3) return undefined
  const found = [...candidates].filter((candidate) => `_${candidate}_`.includes(`_${wanted}_`))
  return found.length === 1 ? found[0] : undefined
}
