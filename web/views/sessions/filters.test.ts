import { describe, expect, it } from 'vitest'
import { filtersOf, isFiltered, noFilters, queryOf, searchOf } from './filters.ts'

describe('list filters', () => {
  it('come back from the address unchanged', () => {
    const filters = { ...noFilters, q: 'gate', status: 'live', protocol: 'acp', waiting: true }
    expect(filtersOf(searchOf(filters))).toEqual(filters)
    expect(searchOf(noFilters)).toEqual({})
    expect(isFiltered(noFilters)).toBe(false)
  })

  it('read a number as text, and ignore unknown values', () => {
    expect(filtersOf({ q: 12, status: 'asleep', protocol: ['acp'], waiting: 'yes', more: 1 })).toEqual({
      ...noFilters,
      q: '12',
    })
  })

  it('ask the server for the statuses of a group, and for no empty text', () => {
    expect(queryOf({ ...noFilters, status: 'active', q: '  ' })).toEqual({ status: 'created,active' })
    expect(queryOf({ ...noFilters, waiting: true, agent: 'practice' })).toEqual({ waiting: 'true', agent: 'practice' })
  })
})
