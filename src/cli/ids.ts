import { cleanLine } from './clean-text.ts'
import { exit, Failure, wrongUsage } from './failure.ts'

const whole = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const usual = 8
const fewest = 4

export const isWholeId = (text: string): boolean => whole.test(text)

/** Ids created in the same minute start alike, so all are cut to the length that makes them unique. */
export function shortener(ids: Iterable<string>): (id: string) => string {
  const all = [...new Set(ids)]
  let length = usual
  while (length < 36 && new Set(all.map((id) => id.slice(0, length))).size < all.length) length++
  // Never end in a dash.
  return (id) => id.slice(0, length).replace(/-$/, '')
}

/** Without others to compare: ids of version 7 keep their timestamp. */
export const shortId = (id: string): string => id.slice(0, id[14] === '7' ? 13 : usual)

type WithId = { readonly id: string }
type Search<T extends WithId> = {
  /** The kind of thing: `session`. */
  readonly what: string
  readonly list: string
  /** Pages of candidates, most likely first; a page with a match ends the search. */
  readonly pages: AsyncIterable<readonly T[]>
  /** Other names people use for it: a name, a path. */
  readonly alsoCalled?: (one: T) => readonly string[]
}

/** Resolves a whole id, or the start of exactly one. */
export async function findId<T extends WithId>(text: string, search: Search<T>): Promise<T['id']> {
  const wanted = text.toLowerCase()
  if (isWholeId(wanted)) return wanted
  const isPrefix = /^[0-9a-f-]+$/.test(wanted) && wanted.length >= fewest
  if (!isPrefix && !search.alsoCalled)
    throw wrongUsage(
      `"${cleanLine(text)}" is not the id of ${withArticle(search.what)}.`,
      `Give at least its first ${fewest} characters. See them with: ${search.list}`,
    )
  for await (const page of search.pages) {
    const named = page.filter((one) => search.alsoCalled?.(one).some((name) => name.toLowerCase() === wanted))
    const begun = isPrefix ? page.filter(({ id }) => id.startsWith(wanted)) : []
    const found = named.length > 0 ? named : begun
    if (found.length > 1) throw ambiguous(text, search.what, found)
    if (found[0]) return found[0].id
  }
  throw new Failure({
    exit: exit.notFound,
    code: `${search.what.replaceAll(' ', '_')}_not_found`,
    message: `No such ${search.what}: ${cleanLine(text)}.`,
    hint: `See them with: ${search.list}`,
  })
}

function ambiguous(text: string, what: string, found: readonly WithId[]): Failure {
  const short = shortener(found.map(({ id }) => id))
  const some = found.slice(0, 8).map(({ id }) => short(id))
  return new Failure({
    exit: exit.usage,
    code: 'ambiguous_id',
    message: `"${cleanLine(text)}" could be ${found.length} ${what}s.`,
    hint: `Give more of it: ${some.join(', ')}${found.length > some.length ? ', …' : ''}`,
  })
}

const withArticle = (what: string): string => `${/^[aeiou]/.test(what) && what !== 'user' ? 'an' : 'a'} ${what}`
