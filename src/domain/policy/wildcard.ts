/** Matches `*` (any characters) and `?` (one character). Takes at most pattern length × text length steps. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let [at, star, mark] = [0, -1, 0]
  for (let index = 0; index < text.length;) {
    const char = pattern[at]
    if (char === '*') {
      star = at
      mark = index
      at += 1
    } else if (char === '?' || (char !== undefined && char === text[index])) {
      at += 1
      index += 1
    } else if (star >= 0) {
      at = star + 1
      mark += 1
      index = mark
    } else return false
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}

export const hasWildcard = (pattern: string): boolean => /[*?]/.test(pattern)

/** Whether some text matches both patterns. */
export function wildcardsOverlap(a: string, b: string): boolean {
  const known = new Map<number, boolean>()
  const from = (i: number, j: number): boolean => {
    const key = i * (b.length + 1) + j
    const seen = known.get(key)
    if (seen !== undefined) return seen
    known.set(key, false)
    const [x, y] = [a[i], b[j]]
    const result =
      x === undefined && y === undefined
        ? true
        : x === '*'
          ? from(i + 1, j) || (y !== undefined && from(i, j + 1))
          : y === '*'
            ? from(i, j + 1) || (x !== undefined && from(i + 1, j))
            : x !== undefined && y !== undefined && (x === y || x === '?' || y === '?') && from(i + 1, j + 1)
    known.set(key, result)
    return result
  }
  return from(0, 0)
}
