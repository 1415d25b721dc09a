import { describe, expect, it } from 'vitest'
import { filtersOf, isFiltered, noFilters, queryOf, searchOf, spanOf } from './filters.ts'

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

  it('mean the days of this browser', () => {
    const now = new Date(2026, 2, 10, 15, 30)
    const at = (month: number, day: number) => new Date(2026, month, day).toISOString()
    expect(spanOf('today', now)).toEqual({ since: at(2, 10) })
    expect(spanOf('yesterday', now)).toEqual({ since: at(2, 9), until: at(2, 10) })
    expect(spanOf('7', now)).toEqual({ since: at(2, 4) })
    expect(spanOf('2026-02-28', now)).toEqual({ since: at(1, 28), until: at(2, 1) })
    expect(spanOf('', now)).toEqual({})
    expect(filtersOf({ when: 'tomorrow' }).when).toBe('')
    expect(filtersOf({ when: 7 }).when).toBe('7')
  })

  it('ask the server for the statuses of a group, and for no empty text', () => {
    expect(queryOf({ ...noFilters, status: 'active', q: '  ' })).toEqual({ status: 'created,active' })
    expect(queryOf({ ...noFilters, waiting: true, agent: 'practice' })).toEqual({ waiting: 'true', agent: 'practice' })
  })
})
