/** What is searched, as the address says it. */
export const places = ['all', 'sessions', 'messages', 'terminals'] as const
export type Place = (typeof places)[number]
export const ages = ['any', 'hour', 'day', 'week', 'month'] as const
export type Age = (typeof ages)[number]

export type Asked = { q: string; regex: boolean; in: Place; age: Age }

export function askedIn(search: Record<string, unknown>): Asked {
  // Numbers in an address are read as numbers.
  const q = typeof search['q'] === 'number' ? String(search['q']) : search['q']
  return {
    q: typeof q === 'string' ? q.slice(0, 500) : '',
    regex: search['regex'] === true || search['regex'] === 'true',
    in: places.find((place) => place === search['in']) ?? 'all',
    age: ages.find((age) => age === search['age']) ?? 'any',
  }
}

/** Only what differs from the usual stands in the address. */
export const searchOf = ({ q, regex, in: place, age }: Asked): Record<string, string | boolean> => ({
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

/** Something that can only be the id of a session, or how one begins. */
export const isId = (q: string): boolean => /^[0-9a-f]{8}(-[0-9a-f-]{0,27})?$|^[0-9a-f]{6,7}$/i.test(q.trim())
