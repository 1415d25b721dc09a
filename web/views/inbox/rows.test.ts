import { describe, expect, it } from 'vitest'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import { keyAt } from './item-address.ts'
import { afterAnswer, leftSince, neighbour, rowsOf } from './rows.ts'

const items = (...keys: string[]) => keys.map((key) => ({ key })) as unknown as InboxItem[]
const shown = (rows: ReturnType<typeof rowsOf>) => rows.map(({ item, gone }) => (gone ? `(${item.key})` : item.key))

describe('the list while someone else answers', () => {
  it('keeps an item that has just left in its place', () => {
    const now = items('a', 'c', 'd')
    const gone = leftSince(items('a', 'b', 'c', 'd', 'e'), now)
    expect(shown(rowsOf(now, gone))).toEqual(['a', '(b)', 'c', 'd', '(e)'])
  })

  it('shows an item once when it comes back', () => {
    const gone = leftSince(items('a', 'b'), items('a'))
    expect(shown(rowsOf(items('a', 'b'), gone))).toEqual(['a', 'b'])
  })
})

describe('moving through the list', () => {
  it('stops at both ends, and starts with the first', () => {
    expect(neighbour(['a', 'b'], 'a', 1)).toBe('b')
    expect(neighbour(['a', 'b'], 'b', 1)).toBe('b')
    expect(neighbour(['a', 'b'], null, -1)).toBe('a')
    expect(neighbour([], null, 1)).toBeNull()
  })

  it('goes to the one below after an answer, else to the one above', () => {
    expect(afterAnswer(['a', 'b', 'c'], 'b')).toBe('c')
    expect(afterAnswer(['a', 'b'], 'b')).toBe('a')
    expect(afterAnswer(['a'], 'a')).toBeNull()
  })
})

describe('an address', () => {
  it('names an ask, an alert or nothing', () => {
    expect(keyAt('/asks/12')).toBe('ask:12')
    expect(keyAt('/alerts/7')).toBe('alert:7')
    expect(keyAt('/')).toBeNull()
  })
})
