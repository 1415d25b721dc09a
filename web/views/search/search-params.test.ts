import { describe, expect, it } from 'vitest'
import { searchParamsOf, isId, searchOf, sinceOf } from './search-params.ts'

describe('the address of a search', () => {
  it('has the query, and only settings that differ from the default', () => {
    const asked = { q: 'disk full', regex: true, in: 'terminals', age: 'day' } as const
    expect(searchParamsOf(searchOf(asked))).toEqual(asked)
    expect(searchOf({ q: 'x', regex: false, in: 'all', age: 'any' })).toEqual({ q: 'x' })
  })

  it('is validated', () => {
    expect(searchParamsOf({ q: 404, in: 'nowhere', age: {} })).toEqual({
      q: '404',
      regex: false,
      in: 'all',
      age: 'any',
    })
  })

  it('says how far back to look', () => {
    expect(sinceOf('hour', Date.parse('2026-01-01T01:00:00Z'))).toBe('2026-01-01T00:00:00.000Z')
    expect(sinceOf('any', 0)).toBeNull()
  })

  it.each([
    ['1f0c3a7e', true],
    ['1f0c3a7e-1c2b-4d5e-8f90-123456789abc', true],
    ['deadbe', true],
    ['added', false],
    ['1f0c3a7e words', false],
  ])('distinguishes an id from words: %s', (q, is) => expect(isId(q)).toBe(is))
})
