import { applyPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { unifiedDiff } from './unified-diff.ts'

describe('a unified diff', () => {
  it('shows a new file as created from nothing', () => {
    expect(unifiedDiff('a/b.txt', null, 'one\ntwo\n')).toBe(
      '--- /dev/null\n+++ b/a/b.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n',
    )
  })

  it('shows a removed file as deleted', () => {
    expect(unifiedDiff('b.txt', 'one\n', null)).toBe('--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n')
  })

  it('shows changes with three lines around them, and applies again', () => {
    const before = `${Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')}\n`
    const after = before.replace('line 10\n', 'line ten\n')
    const diff = unifiedDiff('b.txt', before, after)
    expect(diff).toContain('@@ -8,7 +8,7 @@')
    expect(applyPatch(before, diff)).toBe(after)
  })

  it('says if there is no newline at the end', () => {
    const diff = unifiedDiff('b.txt', 'one\n', 'one')
    expect(diff).toContain('\\ No newline at end of file')
    expect(applyPatch('one\n', diff)).toBe('one')
  })

  it('is empty if nothing changes', () => {
    expect(unifiedDiff('b.txt', 'one\n', 'one\n')).toBe('')
  })
})
