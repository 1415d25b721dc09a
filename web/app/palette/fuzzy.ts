const wholePart = 100
const wordStart = 20
const scattered = 40

/** How well a text fits what was typed: higher is better, null not at all. Every typed word must fit. */
export function fit(typed: string, text: string): number | null {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const within = text.toLowerCase()
  let sum = 0
  for (const word of words) {
    const one = wordFit(word, within)
    if (one === null) return null
    sum += one
  }
  return sum
}

function wordFit(word: string, text: string): number | null {
  let at = text.indexOf(word)
  if (at === -1) return scatteredFit(word, text)
  const first = at
  while (at !== -1 && !startsWord(text, at)) at = text.indexOf(word, at + 1)
  return wholePart + (at === -1 ? 0 : wordStart) - Math.min(first, 80) / 10
}

/** Its letters in order, each beside the one before or at the start of a word: `nsess` fits `new session`. */
function scatteredFit(word: string, text: string): number | null {
  const failed = new Set<number>()
  const from = (index: number, at: number): number | null => {
    if (index === word.length) return 0
    const state = at * (word.length + 1) + index
    if (failed.has(state)) return null
    for (
      let next = text.indexOf(word[index] ?? '', at);
      next !== -1;
      next = text.indexOf(word[index] ?? '', next + 1)
    ) {
      const isBeside = index > 0 && next === at
      if (!isBeside && !startsWord(text, next)) continue
      const rest = from(index + 1, next + 1)
      if (rest !== null) return rest + (isBeside ? 0 : 1)
    }
    failed.add(state)
    return null
  }
  const jumps = word.length > mostScattered ? null : from(0, 0)
  return jumps === null ? null : scattered - jumps
}
const mostScattered = 12

const startsWord = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

export type Fitted<T> = { readonly item: T; readonly score: number }

/** The best of these, best first; all of them, in their order, if nothing was typed. */
export function bestOf<T>(typed: string, items: readonly T[], textOf: (item: T) => string, most: number): Fitted<T>[] {
  if (typed.trim() === '') return items.slice(0, most).map((item) => ({ item, score: 0 }))
  return items
    .flatMap((item) => {
      const score = fit(typed, textOf(item))
      return score === null ? [] : [{ item, score }]
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
}
