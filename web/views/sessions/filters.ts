import type { SessionStatus } from '../../../src/domain/session/status.ts'

/** Filters of the list; kept in the address. */
export type Filters = {
  q: string
  status: string
  agent: string
  repo: string
  /** Days: `today`, `yesterday`, `7` or `30` days, or a date. */
  when: string
  protocol: string
  waiting: boolean
  archived: boolean
}

export const noFilters: Filters = {
  q: '',
  status: '',
  agent: '',
  repo: '',
  when: '',
  protocol: '',
  waiting: false,
  archived: false,
}

/** Groups of statuses. */
export const statusGroups: readonly { value: string; label: string; statuses: readonly SessionStatus[] }[] = [
  { value: 'live', label: 'Open', statuses: ['created', 'active', 'paused', 'interrupted'] },
  { value: 'active', label: 'Active', statuses: ['created', 'active'] },
  { value: 'paused', label: 'Paused', statuses: ['paused'] },
  { value: 'interrupted', label: 'Interrupted', statuses: ['interrupted'] },
  { value: 'completed', label: 'Completed', statuses: ['completed'] },
  { value: 'error', label: 'Failed', statuses: ['error'] },
  { value: 'cancelled', label: 'Cancelled or terminated', statuses: ['cancelled', 'terminated'] },
]

const protocols = ['acp', 'mcp', 'terminal']

export const whens: Readonly<Record<string, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
}

export const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

const isWhen = (text: string): boolean => Object.hasOwn(whens, text) || isDate(text)

/** Local midnight, some days from a day. */
const midnight = (day: Date, by: number): string =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + by).toISOString()

/** The days of a filter, as times of this browser's days. */
export function spanOf(when: string, now: Date): { since?: string; until?: string } {
  if (when === 'today') return { since: midnight(now, 0) }
  if (when === 'yesterday') return { since: midnight(now, -1), until: midnight(now, 0) }
  if (isDate(when)) {
    const [year = 0, month = 1, day = 1] = when.split('-').map(Number)
    const date = new Date(year, month - 1, day)
    return { since: midnight(date, 0), until: midnight(date, 1) }
  }
  return when === '' ? {} : { since: midnight(now, 1 - Number(when)) }
}

// The router parses `?q=12` as a number.
const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : ''

const isOn = (value: unknown): boolean => value === true || value === 'true'

export function filtersOf(search: Readonly<Record<string, unknown>>): Filters {
  const status = word(search['status'])
  const protocol = word(search['protocol'])
  return {
    q: word(search['q']),
    status: statusGroups.some(({ value }) => value === status) ? status : '',
    agent: word(search['agent']),
    repo: word(search['repo']),
    when: isWhen(word(search['when'])) ? word(search['when']) : '',
    protocol: protocols.includes(protocol) ? protocol : '',
    waiting: isOn(search['waiting']),
    archived: isOn(search['archived']),
  }
}

/** Only set filters are in the address. */
export function searchOf(filters: Filters): Record<string, string | boolean> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '' && value !== false))
}

export const isFiltered = (filters: Filters): boolean => Object.keys(searchOf(filters)).length > 0

/** The filters as an API query. */
export function queryOf(filters: Filters) {
  const statuses = statusGroups.find(({ value }) => value === filters.status)?.statuses
  return {
    ...(filters.q.trim() !== '' && { q: filters.q.trim() }),
    ...(statuses && { status: statuses.join(',') }),
    ...(filters.agent !== '' && { agent: filters.agent }),
    ...spanOf(filters.when, new Date()),
    ...(filters.protocol !== '' && { protocol: filters.protocol }),
    ...(filters.waiting && { waiting: 'true' as const }),
    ...(filters.archived && { archived: 'true' as const }),
  }
}
