import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { changesBetween, lastReviewed } from './proposal.ts'

const diff = (path: string, now: string) => `--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n same\n-old\n+${now}\n`
const ask = (second: number, text: string, more: Partial<Ask> = {}) =>
  ({
    id: `ask ${second}`,
    createdAt: `2026-01-01T00:00:0${second}.000Z`,
    subject: { kind: 'diff', filePath: 'a.ts', diff: text, files: [] },
    answer: null,
    ...more,
  }) as unknown as Ask
const no = { answer: { outcome: 'reject', reason: 'x' } } as Partial<Ask>

describe('changes since a review', () => {
  it('are what differs between the two proposals, file by file', () => {
    const before = ask(1, diff('a.ts', 'one') + diff('b.ts', 'same too'))
    const now = ask(2, diff('a.ts', 'two') + diff('b.ts', 'same too') + diff('c.ts', 'new'))
    expect(changesBetween(before, now)).toEqual([
      { path: 'a.ts', oldText: 'same\none\n', newText: 'same\ntwo\n' },
      { path: 'c.ts', oldText: null, newText: 'same\nnew\n' },
    ])
  })
  it('compare with the last rejected change of one of the files', () => {
    const now = ask(5, diff('a.ts', 'now'))
    const asks = [
      ask(1, diff('a.ts', 'x'), no),
      ask(2, diff('a.ts', 'y'), no),
      ask(3, diff('z.ts', 'y'), no),
      ask(4, diff('a.ts', 'y')),
      now,
    ]
    expect(lastReviewed(asks, now)?.id).toBe('ask 2')
    expect(lastReviewed([asks[2]!, now], now)).toBeNull()
  })
})
