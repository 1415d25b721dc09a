import { editDistance } from '../../../lib/edit-distance.ts'

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
          const far = editDistance(one, other, most)
          return far > 0 && far <= most ? [{ other, far, count }] : []
        }),
      )
      near.sort((a, b) => a.far - b.far || b.count - a.count || (a.other < b.other ? -1 : 1))
      return [...new Set(near.map(({ other }) => other))].slice(0, 3)
    },
  }
}
