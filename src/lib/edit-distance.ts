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
