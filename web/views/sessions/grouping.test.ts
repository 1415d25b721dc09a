import { describe, expect, it } from 'vitest'
import { dayOf, grouped } from './grouping.ts'

const now = new Date(2026, 2, 10, 9)
const at = (month: number, day: number, hour: number) => new Date(2026, month, day, hour).toISOString()
const session = (createdAt: string, repoName: string, pinnedAt: string | null = null) => ({
  createdAt,
  repoName,
  pinnedAt,
  workspaceRoot: `/srv/${repoName}`,
})

describe('the groups of the list', () => {
  it('are days of this browser', () => {
    expect(dayOf(at(2, 10, 0), now)).toBe('Today')
    expect(dayOf(at(2, 9, 23), now)).toBe('Yesterday')
    expect(dayOf(at(2, 2, 12), now)).toBe('Monday, March 2')
    expect(dayOf(new Date(2025, 11, 31).toISOString(), now)).toBe('Wednesday, December 31, 2025')
    // A clock that is ahead.
    expect(dayOf(at(2, 11, 1), now)).toBe('Today')
  })

  it('have one heading each, pinned ones first', () => {
    const list = [
      session(at(2, 1, 1), 'yard', at(2, 10, 1)),
      session(at(2, 10, 8), 'shop'),
      session(at(2, 10, 7), 'depot'),
      session(at(2, 9, 7), 'shop'),
    ]
    expect(grouped(list, 'day', now).map(({ head }) => head)).toEqual(['Pinned', 'Today', null, 'Yesterday'])
    const projects = grouped(list, 'project', now)
    expect(projects.map(({ head }) => head)).toEqual(['Pinned', 'depot', 'shop', null])
    expect(projects.map((one) => one.session.createdAt)).toEqual(
      [list[0], list[2], list[1], list[3]].map((one) => one!.createdAt),
    )
    expect(grouped(list, 'none', now).map(({ head }) => head)).toEqual([null, null, null, null])
  })
})
