import { describe, expect, it } from 'vitest'
import { readDiff, readsAsDiff } from './read-diff.ts'

const hunk = '@@ -1 +1 @@\n-a\n+b\n'
const added = '@@ -0,0 +1 @@\n+b\n'
const removed = '@@ -1 +0,0 @@\n-a\n'

const names = (text: string, prefixed = true): (string | null)[][] | string => {
  const read = readDiff(text, prefixed)
  return read.ok ? read.value.map(({ from, to }) => [from, to]) : read.fault.message
}

describe('a diff', () => {
  it('is distinguished from whole content by its beginning', () => {
    for (const diff of [
      `diff --git a/x b/x\n--- a/x\n+++ b/x\n${hunk}`,
      `--- a/x\n+++ b/x\n${hunk}`,
      `\n\n--- x\r\n+++ x\r\n${hunk}`,
      `Index: x\n${'='.repeat(67)}\n--- x\n+++ x\n${hunk}`,
      `diff -u x y\n--- x\n+++ y\n${hunk}`,
      'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n',
      `--- a/x\n${hunk}`,
      hunk,
    ])
      expect([diff, readsAsDiff(diff)]).toEqual([diff, true])
    for (const content of [
      '',
      '\n',
      'const a = 1\n--- a/x\n+++ b/x\n',
      '---\ntitle: x\n---\n',
      '--- !tag\nkey: value\n',
      '+++\ntitle = 1\n+++\n',
      'Index: of things\n',
      'diff -u is a command\n',
      '@@ a decorator\n',
    ])
      expect([content, readsAsDiff(content)]).toEqual([content, false])
  })

  const named: [what: string, diff: string, names: (string | null)[][]][] = [
    ['with prefixes', `--- a/x\n+++ b/x\n${hunk}`, [['x', 'x']]],
    ['without prefixes', `--- src/x\n+++ src/x\n${hunk}`, [['src/x', 'src/x']]],
    ['in a directory a', `--- a/x\n+++ a/x\n${hunk}`, [['a/x', 'a/x']]],
    ['with timestamps', `--- x\t2026-01-01 00:00:00\n+++ x\t2026-01-02 00:00:00\n${hunk}`, [['x', 'x']]],
    ['with spaces', `--- a/ x y \t\n+++ b/ x y \t\n${hunk}`, [[' x y ', ' x y ']]],
    ['new', `--- /dev/null\n+++ b/x\n${added}`, [[null, 'x']]],
    ['deleted', `--- a/x\n+++ /dev/null\n${removed}`, [['x', null]]],
    [
      'quoted',
      `--- "a/t\\tab \\303\\244\\".x"\n+++ "b/t\\tab \\303\\244\\".x"\n${hunk}`,
      [['t\tab ä".x', 't\tab ä".x']],
    ],
    ['new and empty', 'diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n', [[null, 'x']]],
    ['deleted and empty', 'diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n', [['x', null]]],
    ['renamed', 'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n', [['x', 'y']]],
    [
      'renamed without prefixes',
      `diff --git x y\nsimilarity index 90%\nrename from x\nrename to y\nindex 1..2 100644\n--- x\n+++ y\n${hunk}`,
      [['x', 'y']],
    ],
    ['copied', 'diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n', [['x', 'y']]],
    ['with another mode', 'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n', [['x', 'x']]],
    ['twice b/', 'diff --git a/x b/y b/x b/y\nold mode 100644\nnew mode 100755\n', [['x b/y', 'x b/y']]],
    ['two files', `--- a/x\n+++ b/x\n${hunk}--- a/y\n+++ b/y\n${hunk}`, [['x', 'x'], ['y', 'y']]], // prettier-ignore
    ['with lines like headers', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n c\n', [['x', 'x']]],
    ['written with CRLF', `--- a/x\r\n+++ b/x\r\n${hunk.replaceAll('\n', '\r\n')}`, [['x', 'x']]],
    ['without a newline at its own end', `--- a/x\n+++ b/x\n${hunk.trimEnd()}`, [['x', 'x']]],
  ]
  it.each(named)('names its files: %s', (_what, diff, expected) => {
    expect(names(diff)).toEqual(expected)
  })

  it('keeps its prefixes on request', () => {
    expect(names(`--- /dev/null\n+++ b/x\n${added}`, false)).toEqual([[null, 'b/x']])
  })

  const malformed: [why: string, diff: string][] = [
    ['no file named', hunk],
    ['only one name', `--- a/x\n${hunk}`],
    ['no hunks', '--- a/x\n+++ b/x\n'],
    ['a git header without a change', 'diff --git a/x b/x\nindex 1..2 100644\n'],
    ['too few lines', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n'],
    ['too few lines in the middle', `--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n${hunk}`],
    ['too many added lines', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n'],
    ['too many removed lines', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n+c\n'],
    ['too many lines of context', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n'],
    ['a count of one that is wrong', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n'],
    ['no numbers', '--- a/x\n+++ b/x\n@@ @@\n-a\n+b\n'],
    ['letters as numbers', '--- a/x\n+++ b/x\n@@ -a +b @@\n-a\n+b\n'],
    ['negative numbers', '--- a/x\n+++ b/x\n@@ --1 +1 @@\n-a\n+b\n'],
    ['huge numbers', '--- a/x\n+++ b/x\n@@ -99999999999999 +1 @@\n-a\n+b\n'],
    ['a combined diff', '--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n++b\n'],
    ['a line of unknown kind', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\nwhat\n+b\n'],
    ['prose before', `Here it is:\n--- a/x\n+++ b/x\n${hunk}`],
    ['prose after', `--- a/x\n+++ b/x\n${hunk}Done!\n`],
    ['prose between', `--- a/x\n+++ b/x\n${hunk}and then\n--- a/y\n+++ b/y\n${hunk}`],
    ['a hunk without changes', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n'],
    ['hunks out of order', '--- a/x\n+++ b/x\n@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n'],
    ['overlapping hunks', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -2 +2 @@\n-c\n+d\n'],
    ['a marker without a line', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n'],
    ['lines after the last', '--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-c\n+b\n'],
    ['two names that are not a rename', `--- a/x\n+++ b/y\n${hunk}`],
    ['other names in the header', `diff --git a/x b/x\n--- a/y\n+++ b/y\n${hunk}`],
    ['new, but with a name before', `diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n${hunk}`],
    ['new, but with lines before', `--- /dev/null\n+++ b/x\n${hunk}`],
    ['deleted, but with lines after', `--- a/x\n+++ /dev/null\n${hunk}`],
    ['neither before nor after', `--- /dev/null\n+++ /dev/null\n${hunk}`],
    ['an unterminated quote', `--- "a/x\n+++ "b/x\n${hunk}`],
    ['an unknown escape', `--- "a/\\x41"\n+++ "b/\\x41"\n${hunk}`],
    ['a name that is not UTF-8', `--- "a/\\377"\n+++ "b/\\377"\n${hunk}`],
    ['a link', 'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n'],
    ['a submodule', 'diff --git a/x b/x\nnew file mode 160000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+Subproject\n'],
    ['a binary patch', 'diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZQz00001\n'],
    ['a binary file', 'diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n'],
    ['unknown words in the header', `diff --git a/x b/x\nexecute rm\n--- a/x\n+++ b/x\n${hunk}`],
    ['a mail', `From ${'0'.repeat(40)} Mon Sep 17 00:00:00 2001\nSubject: x\n\n--- a/x\n+++ b/x\n${hunk}`],
    ['new, with no lines but a name before', `diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n${added}`],
    ['deleted, with a name after', `diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ b/x\n${removed}`],
    ['renamed to nothing', 'diff --git x y\nsimilarity index 100%\nrename from x\n'],
    ['renamed to itself', 'diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to x\n'],
  ]
  it.each(malformed)('is refused: %s', (_why, diff) => {
    expect(readDiff(diff, true)).toMatchObject({ ok: false, fault: { kind: 'invalid', code: 'invalid_diff' } })
    expect(readsAsDiff(diff) || diff.startsWith('Here')).toBe(true)
  })

  it('damaged in any way is read or refused, and nothing else', () => {
    const whole = named.map(([, diff]) => diff).join('')
    const pieces = [...whole.split('\n'), ...malformed.flatMap(([, diff]) => diff.split('\n')), '', '\r', '"', '@@']
    for (let seed = 1; seed <= 5000; seed += 1) {
      const at = (salt: number) => Math.abs(Math.imul(seed * 2_654_435_761 + salt, 0x85ebca6b)) % pieces.length
      const text = Array.from({ length: 2 + (seed % 9) }, (_, salt) => pieces[at(salt)]).join('\n')
      const read = readDiff(text, seed % 2 === 0)
      expect(read.ok || read.fault.code === 'invalid_diff').toBe(true)
    }
  })
})
