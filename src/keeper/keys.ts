/** Keys of writes that were done; the oldest are forgotten. */
export type Keys = { has(key: string): boolean; add(key: string): void }

const mostKeys = 100_000

export function createKeys(): Keys {
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
