import { describe, expect, it } from 'vitest'
import { filtersOf, isFiltered, noFilters, queryOf, searchOf } from './filters.ts'

describe('filters of the list', () => {
  it('come from the address as they went into it', () => {
    const filters = { ...noFilters, q: 'gate', status: 'live', protocol: 'acp', waiting: true }
    expect(filtersOf(searchOf(filters))).toEqual(filters)
    expect(searchOf(noFilters)).toEqual({})
    expect(isFiltered(noFilters)).toBe(false)
  })

  it('take a number as words, and nothing that is unknown', () => {
    expect(filtersOf({ q: 12, status: 'asleep', protocol: ['acp'], waiting: 'yes', more: 1 })).toEqual({
      ...noFilters,
      q: '12',
    })
  })

  it('ask the server for the statuses of a group, and for no empty words', () => {
    expect(queryOf({ ...noFilters, status: 'active', q: '  ' })).toEqual({ status: 'created,active' })
    expect(queryOf({ ...noFilters, waiting: true, agent: 'practice' })).toEqual({ waiting: 'true', agent: 'practice' })
  })
})
