import { describe, expect, it } from 'vitest'
import { diffOfEdits } from './edits-diff.ts'

const text = (lines: number, changed: number, word: string): string =>
  Array.from({ length: lines }, (_, at) => (at === changed ? `${word}\n` : `line ${at}\n`)).join('')
const edit = (lines: number) => ({ path: 'f', oldText: text(lines, 50, 'old'), newText: text(lines, 50, 'new') })

describe('the diff of a change an agent describes', () => {
  it('has all unchanged lines, folded', () => {
    const lines = diffOfEdits([edit(100)]).split('\n')
    expect(lines.filter((line) => line.startsWith(' '))).toHaveLength(99)
    expect(lines.filter((line) => line.startsWith('@@'))).toEqual(['@@ -1,100 +1,100 @@'])
  })

  it('has only some of them if there are too many for a page', () => {
    const lines = diffOfEdits([edit(15_000)]).split('\n')
    expect(lines.filter((line) => line.startsWith(' '))).toHaveLength(6)
  })
})
