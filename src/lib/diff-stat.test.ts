import { createTwoFilesPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { diffStat, editStat } from './diff-stat.ts'

describe('the line counts of a diff', () => {
  it('cover each file of a Git diff', () => {
    const diff = [
      'diff --git a/src/a.ts b/src/a.ts',
      'index 1..2 100644',
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -1,3 +1,4 @@',
      ' one',
      '-two',
      '+deux',
      '+zwei',
      ' three',
      'diff --git a/new.txt b/new.txt',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/new.txt',
      '@@ -0,0 +1 @@',
      '+hello',
      'diff --git a/old.txt b/old.txt',
      'deleted file mode 100644',
      '--- a/old.txt',
      '+++ /dev/null',
      '@@ -1,2 +0,0 @@',
      '-bye',
      '--- not a header',
      'diff --git a/from.md b/to.md',
      'similarity index 100%',
      'rename from from.md',
      'rename to to.md',
      '',
    ].join('\n')
    expect(diffStat(diff, 'x')).toEqual([
      { path: 'src/a.ts', change: 'modified', added: 2, removed: 1 },
      { path: 'new.txt', change: 'added', added: 1, removed: 0 },
      { path: 'old.txt', change: 'deleted', added: 0, removed: 2 },
      { path: 'to.md', change: 'renamed', added: 0, removed: 0 },
    ])
  })

  it('cover diffs of other programs, including those without names', () => {
    const plain = createTwoFilesPatch('/w/a.txt', '/w/a.txt', 'a\nb\n', 'a\nc\nd\n')
    expect(diffStat(plain, 'x')).toEqual([{ path: '/w/a.txt', change: 'modified', added: 2, removed: 1 }])
    expect(diffStat(createTwoFilesPatch('n', 'n', '', 'x\n'), 'x')).toMatchObject([{ path: 'n', change: 'added' }])
    expect(diffStat('@@ -1 +1 @@\n-a\n+b', 'file.txt')).toEqual([
      { path: 'file.txt', change: 'modified', added: 1, removed: 1 },
    ])
    expect(diffStat('just words', 'file.txt')).toEqual([])
  })

  it('are not misled by lines that look like headers inside a hunk', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n diff --git a/z b/z\n'
    expect(diffStat(diff, 'x')).toEqual([{ path: 'x', change: 'modified', added: 1, removed: 1 }])
  })

  it('cover the change of a text', () => {
    expect(editStat('a', null, 'x\ny\n')).toEqual({ path: 'a', change: 'added', added: 2, removed: 0 })
    expect(editStat('a', 'x\ny\nz\n', 'x\nY\nz\n')).toEqual({ path: 'a', change: 'modified', added: 1, removed: 1 })
    expect(editStat('a', 'x\ny', '')).toEqual({ path: 'a', change: 'modified', added: 0, removed: 2 })
  })

  it('are not slow for two long texts without a common line', () => {
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, n) => `${mark} ${n}\n`).join('')
    expect(editStat('a', lines('a'), lines('b'))).toMatchObject({ added: 20_000, removed: 20_000 })
  })
})
