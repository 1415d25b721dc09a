/** Keys of completed writes; the oldest are forgotten. */
export type WriteKeys = { has(key: string): boolean; add(key: string): void }

const mostKeys = 100_000

export function createWriteKeys(): WriteKeys {
  const keys = new Set<string>()
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key)
      if (keys.size <= mostKeys) return
      for (const oldest of keys) {
        keys.delete(oldest)
        return
      }
    },
  }
}
