const mostWords = 50_000
const word = /[\p{L}\p{N}_-]{3,40}/gu

export type Words = { add(line: string): void; nearest(query: string): string[] }

/** Words that were seen, for whoever mistyped one. */
export function createWords(): Words {
  const seen = new Map<string, number>()
  return {
    add(line) {
      for (const [found] of line.toLowerCase().matchAll(word)) {
        const count = seen.get(found)
        if (count !== undefined || seen.size < mostWords) seen.set(found, (count ?? 0) + 1)
      }
    },
    nearest(query) {
      const wanted = query.toLowerCase().match(word) ?? []
      const near = wanted.flatMap((one) =>
        [...seen].flatMap(([other, count]) => {
          const most = one.length <= 4 ? 1 : 2
          const far = distance(one, other, most)
          return far > 0 && far <= most ? [{ other, far, count }] : []
        }),
      )
      near.sort((a, b) => a.far - b.far || b.count - a.count || (a.other < b.other ? -1 : 1))
      return [...new Set(near.map(({ other }) => other))].slice(0, 3)
    },
  }
}

/** How many letters to change, add, leave out or swap; `most + 1` where it is more. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(isSwap ? Math.min(cost, (before[j - 2] ?? 0) + 1) : cost)
    }
    if (Math.min(...row) > most) return most + 1
    before = last
    last = row
  }
  return last[b.length] ?? most + 1
}
