/** The search as stated in the address. */
export const searchScopes = ['all', 'sessions', 'messages', 'terminals'] as const
export type SearchScope = (typeof searchScopes)[number]
export const ages = ['any', 'hour', 'day', 'week', 'month'] as const
export type Age = (typeof ages)[number]

export type SearchParams = { q: string; regex: boolean; in: SearchScope; age: Age }

export function searchParamsOf(search: Record<string, unknown>): SearchParams {
  // The router parses numbers in an address as numbers.
  const q = typeof search['q'] === 'number' ? String(search['q']) : search['q']
  return {
    q: typeof q === 'string' ? q.slice(0, 500) : '',
    regex: search['regex'] === true || search['regex'] === 'true',
    in: searchScopes.find((place) => place === search['in']) ?? 'all',
    age: ages.find((age) => age === search['age']) ?? 'any',
  }
}

/** Only values that differ from the defaults are in the address. */
export const searchOf = ({ q, regex, in: place, age }: SearchParams): Record<string, string | boolean> => ({
  ...(q !== '' && { q }),
  ...(regex && { regex }),
  ...(place !== 'all' && { in: place }),
  ...(age !== 'any' && { age }),
})

const hours: Readonly<Record<Age, number | null>> = { any: null, hour: 1, day: 24, week: 24 * 7, month: 24 * 30 }

export function sinceOf(age: Age, now: number): string | null {
  const back = hours[age]
  return back === null ? null : new Date(now - back * 3_600_000).toISOString()
}

/** A text that can only be a session id or its beginning. */
export const isId = (q: string): boolean => /^[0-9a-f]{8}(-[0-9a-f-]{0,27})?$|^[0-9a-f]{6,7}$/i.test(q.trim())
