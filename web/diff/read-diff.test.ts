import { describe, expect, it } from 'vitest'
import { firstOf } from './fixtures.ts'
import { readsAsDiff } from '../../src/lib/diff/read-diff.ts'
import { mostLines, readDiff } from './read-diff.ts'

const git = (...lines: string[]): string => `${lines.join('\n')}\n`
const only = (text: string) => {
  const { files } = readDiff(text, 'name.txt')
  expect(files).toHaveLength(1)
  return firstOf(files)
}

describe('reading a diff', () => {
  it('finds files, lines and their numbers', () => {
    const file = only(
      git(
        'diff --git a/src/a.ts b/src/a.ts',
        'index 1..2 100644',
        '--- a/src/a.ts',
        '+++ b/src/a.ts',
        '@@ -3,2 +3,3 @@ f()',
        ' x',
        '-y',
        '+z',
        '+w',
      ),
    )
    expect(file).toMatchObject({ path: 'src/a.ts', change: 'modified', added: 2, removed: 1, unread: null })
    expect(file.hunks[0]).toMatchObject({ heading: 'f()', oldStart: 3 })
    expect(file.hunks[0]?.lines.map(({ op, oldNumber, newNumber }) => [op, oldNumber, newNumber])).toEqual([
      [' ', 3, 3],
      ['-', 4, null],
      ['+', null, 4],
      ['+', null, 5],
    ])
  })

  it.each([
    [
      'new',
      ['new file mode 100644', '--- /dev/null', '+++ b/f', '@@ -0,0 +1 @@', '+x'],
      { change: 'added', path: 'f' },
    ],
    ['deleted', ['deleted file mode 100644', '--- a/f', '+++ /dev/null', '@@ -1 +0,0 @@', '-x'], { change: 'deleted' }],
    ['renamed', ['similarity index 100%', 'rename from f', 'rename to g'], { change: 'renamed', from: 'f', path: 'g' }],
    ['copied', ['copy from f', 'copy to g'], { change: 'copied', from: 'f', path: 'g' }],
    ['made executable', ['old mode 100644', 'new mode 100755'], { change: 'modified', newMode: '100755' }],
    ['binary', ['index 1..2', 'Binary files a/f and b/f differ'], { binary: true, hunks: [] }],
    ['binary with its data', ['GIT binary patch', 'literal 3', 'KcmZQz', '', 'literal 0', 'HcmV'], { binary: true }],
  ])('recognises a file that is %s', (_what, lines, expected) => {
    expect(only(git('diff --git a/f b/f', ...lines))).toMatchObject({ ...expected, unread: null })
  })

  it('reads names that are quoted, have spaces or have no prefixes', () => {
    expect(only(git('--- "a/t\\303\\244g.txt"', '+++ "b/t\\303\\244g.txt"', '@@ -1 +1 @@', '-a', '+b')).path).toBe(
      'täg.txt',
    )
    expect(only(git('--- a/a b.txt\t', '+++ b/a b.txt\t', '@@ -1 +1 @@', '-a', '+b')).path).toBe('a b.txt')
    expect(only(git('--- lib/x.ts', '+++ lib/x.ts', '@@ -1 +1 @@', '-a', '+b'))).toMatchObject({
      path: 'lib/x.ts',
      change: 'modified',
    })
  })

  it('keeps lines that look like the head of a file inside a hunk', () => {
    const file = only(git('--- a/q.sql', '+++ b/q.sql', '@@ -1,2 +1,2 @@', '--- old comment', '+++ new', ' x'))
    expect(file.hunks[0]?.lines.map(({ text }) => text)).toEqual(['-- old comment', '++ new', 'x'])
  })

  it('recognises lines without a newline, and carriage returns', () => {
    const file = only(git('--- a/f', '+++ b/f', '@@ -1 +1 @@', '-a\r', '\\ No newline at end of file', '+b\r'))
    expect(file.hunks[0]?.lines.map(({ text, ended }) => [text, ended])).toEqual([
      ['a\r', false],
      ['b\r', true],
    ])
  })

  it('treats text that is not a diff as the content of a new file', () => {
    expect(only('first\nsecond')).toMatchObject({ path: 'name.txt', change: 'added', added: 2 })
    expect(only('first\nsecond').hunks[0]?.lines.map(({ ended }) => ended)).toEqual([true, false])
    expect(readsAsDiff('--- \nfront matter\n---\n')).toBe(false)
  })

  it.each([
    ['a hunk that is too short', ['@@ -1,9 +1,9 @@', ' a', '-b', '+c']],
    ['a hunk that is too long', ['@@ -1 +1 @@', '-a', '+b', '+more', '-even more']],
    ['a hunk with a broken header', ['@@ what @@', '-a', '+b']],
    ['text after a hunk', ['@@ -1 +1 @@', '-a', '+b', 'and then?']],
  ])('shows every line of %s', (_what, lines) => {
    const next = ['diff --git a/g b/g', '--- a/g', '+++ b/g', '@@ -1 +1 @@', '-a', '+b']
    const { files } = readDiff(git('diff --git a/f b/f', '--- a/f', '+++ b/f', ...lines, ...next), 'name')
    expect(files.map(({ path }) => path)).toEqual(['f', 'g'])
    const shown = firstOf(files).hunks.flatMap((hunk) => hunk.lines.map(({ op, text }) => op + text))
    const all = [...shown, ...(files[0]?.unread?.lines ?? [])]
    expect(all).toEqual(expect.arrayContaining(lines.filter((line) => !line.startsWith('@@'))))
    expect(files[1]).toMatchObject({ added: 1, removed: 1, unread: null })
  })

  it('shows a line that only looks like the next file', () => {
    const { files } = readDiff(git('--- a/f', '+++ b/f', '@@ -1 +1 @@', '-a', '+b', 'diff of something else'), 'name')
    expect(files.map(({ change, unread }) => [change, unread?.lines])).toEqual([
      ['modified', undefined],
      ['unread', ['diff of something else']],
    ])
  })

  it('shows text before the first file', () => {
    const { files } = readDiff(git('From: someone', '', '--- a/f', '+++ b/f', '@@ -1 +1 @@', '-a', '+b'), 'name')
    expect(files[0]?.change).toBe('added')
    const mail = `From ${'0'.repeat(40)} Mon Sep 17 00:00:00 2001`
    const { files: mailed } = readDiff(git(mail, 'Subject: x', '', 'diff --git a/f b/f', 'new mode 100755'), 'name')
    expect(mailed.map(({ change }) => change)).toEqual(['unread', 'modified'])
  })

  it('says how many lines are too many', () => {
    expect(readDiff('x\n'.repeat(mostLines + 5), 'f').leftOut).toBe(5)
    expect(readDiff('', 'f').files).toMatchObject([{ added: 0 }])
  })

  it.each([
    ['a line of 10 MB', `--- a/f\n+++ b/f\n@@ -1 +1 @@\n-${'a '.repeat(5_000_000)}\n+b\n`],
    ['100,000 file headers', 'diff --git a/f b/f\n'.repeat(100_000)],
    ['100,000 hunk headers', `--- a/f\n+++ b/f\n${'@@ -1 +1 @@\n'.repeat(100_000)}`],
    ['a name of 1 MB', `diff --git a/${' b/x'.repeat(250_000)}\n--- "a/${'\\'.repeat(1_000_000)}\n`],
  ])('reads %s quickly', (_what, text) => {
    const started = performance.now()
    readDiff(text, 'f')
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
