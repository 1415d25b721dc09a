import type { Standing } from '../../domain/user/actor.ts'
import type { Ok, Result } from '../../lib/result.ts'
import { keepBytes } from './respond.ts'

const mostEach = 20

type Page = Result<unknown> | Response
type Cached = { version: number; page: Ok<unknown> }

/**
 * The pages of one endpoint, one set per caller, valid until anything is written. For pages that depend on nothing but the
 * database, the caller and the query.
 */
export function createCachedPages(version: () => number | null) {
  const pages = new WeakMap<Standing, Map<string, Cached>>()
  return async <P extends Page>(who: Standing, query: unknown, read: () => Promise<P>): Promise<P> => {
    const before = version()
    if (before === null) return read()
    const key = JSON.stringify(query)
    const own = pages.get(who) ?? new Map<string, Cached>()
    pages.set(who, own)
    const known = own.get(key)
    if (known?.version === before) {
      // Asked for again, so that its bytes may be needed often.
      keepBytes(known.page.value)
      return known.page as P
    }
    const page = await read()
    if (own.size >= mostEach) own.clear()
    // Changes written during the read may be missing in it.
    if (!('headers' in page) && page.ok && version() === before) own.set(key, { version: before, page })
    return page
  }
}
