import type { SessionStatus } from '../../../src/domain/session/status.ts'

/** Filters of the list; kept in the address. */
export type Filters = {
  q: string
  status: string
  agent: string
  repo: string
  protocol: string
  waiting: boolean
}

export const noFilters: Filters = { q: '', status: '', agent: '', repo: '', protocol: '', waiting: false }

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

// The router parses `?q=12` as a number.
const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : ''

export function filtersOf(search: Readonly<Record<string, unknown>>): Filters {
  const status = word(search['status'])
  const protocol = word(search['protocol'])
  return {
    q: word(search['q']),
    status: statusGroups.some(({ value }) => value === status) ? status : '',
    agent: word(search['agent']),
    repo: word(search['repo']),
    protocol: protocols.includes(protocol) ? protocol : '',
    waiting: search['waiting'] === true || search['waiting'] === 'true',
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
    ...(filters.protocol !== '' && { protocol: filters.protocol }),
    ...(filters.waiting && { waiting: 'true' as const }),
  }
}
