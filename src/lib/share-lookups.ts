/**
 * Lookups of the same thing at the same time are shared. A caller never gets a lookup that began before they asked: if one is
 * running, they share the next one.
 */
export function shareLookups<A extends readonly (string | null)[], T>(
  look: (...what: A) => Promise<T>,
): (...what: A) => Promise<T> {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<T>>()

  function begin(key: string, what: A): Promise<T> {
    const found = look(...what)
    const over = found
      .catch(() => {})
      .then(() => {
        if (running.get(key) === over) running.delete(key)
      })
    running.set(key, over)
    return found
  }

  return (...what) => {
    const key = JSON.stringify(what)
    const before = running.get(key)
    if (!before) return begin(key, what)
    const shared =
      next.get(key) ??
      before.then(() => {
        next.delete(key)
        return begin(key, what)
      })
    next.set(key, shared)
    return shared
  }
}
