import { describe, expect, it } from 'vitest'
import { foldItems, normalForm } from './fold.ts'
import { item, type Severity } from './item.ts'

const one = (text: string, severity: Severity = 'low', likeness: string | null = normalForm(text)) =>
  item({ at: '2026-01-01T00:00:00.000Z', sessionId: null, severity, kind: 'tool', text, likeness })
const told = (items: ReturnType<typeof one>[]) => foldItems(items).map(({ text, times, last }) => [text, times, last])

describe('similar items', () => {
  it('are listed once, with their number and the last of them', () => {
    expect(told([one('Read a/1.ts'), one('Edit b.ts'), one('Read a/2.ts'), one('Read a/3.ts')])).toEqual([
      ['Read a/1.ts', 3, 'Read a/3.ts'],
      ['Edit b.ts', 1, null],
    ])
  })

  it('that matter are listed again after something else', () => {
    expect(told([one('Error 1', 'high'), one('Error 2', 'high'), one('ok'), one('Error 3', 'high')])).toEqual([
      ['Error 1', 2, 'Error 2'],
      ['ok', 1, null],
      ['Error 3', 1, null],
    ])
  })

  it('that are identical need no last one', () => {
    expect(told([one('same'), one('same')])).toEqual([['same', 2, null]])
  })

  it('do not include items that stay separate', () => {
    expect(told([one('x', 'medium', null), one('x', 'medium', null)])).toHaveLength(2)
  })
})
