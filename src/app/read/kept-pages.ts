import type { Standing } from '../../domain/user/actor.ts'

const mostEach = 20

type Kept<T> = { version: number; value: T }

/** Cached pages, one set per viewer, valid until anything is written. */
export function createKeptPages<T>(version: () => number | null) {
  const pages = new WeakMap<Standing, Map<string, Kept<T>>>()
  return async (who: Standing, page: object, read: () => Promise<T>): Promise<T> => {
    const before = version()
    if (before === null) return read()
    const key = JSON.stringify(page)
    const own = pages.get(who) ?? new Map<string, Kept<T>>()
    pages.set(who, own)
    const known = own.get(key)
    if (known?.version === before) return known.value
    const value = await read()
    if (own.size >= mostEach) own.clear()
    // Changes written during the read may be missing in it.
    if (version() === before) own.set(key, { version: before, value })
    return value
  }
}
