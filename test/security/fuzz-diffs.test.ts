import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { policySubjectOf } from '../../src/domain/policy/policy-subject.ts'
import { readDiff as readApplied, readsAsDiff, type FileChange } from '../../src/lib/diff/read-diff.ts'
import { diffStat } from '../../src/lib/diff-stat.ts'
import { readDiff as readShown } from '../../web/diff/read-diff.ts'

/** Printed with every failure; gives the same diffs every time. */
const seed = 14
const runs = 10_000
const root = '/work/shop'

/** Diffs of all kinds of changes, in several output formats of Git. */
function realDiffs(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sbz-'))
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'core.autocrlf=false', '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', HOME: folder },
    })
  const put = (name: string, content: string, mode = 0o644): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
    chmodSync(join(folder, name), mode)
  }
  const many = (of: string): string => Array.from({ length: 40 }, (_, at) => `${of} ${at}\n`).join('')
  try {
    git('init', '-q')
    put('f', 'one\ntwo\nthree\n')
    put('src/long.ts', many('line'))
    put('moved here', many('moved'))
    put('ends', 'no newline')
    put('crlf', 'a\r\nb\r\nc\r\n')
    put('gone', 'x\n')
    put('mode', 'x\n')
    put('empty', '')
    put('käse "q"\t.txt', 'quoted\n')
    put('b/a/f', 'nested\n')
    put('binary', '\0\x01')
    git('add', '-A')
    git('commit', '-qm', 'before')
    put('f', 'one\n2\nthree\n--- x\n+++ y\n')
    put('src/long.ts', many('line').replace('line 3\n', 'line drei\n').replace('line 30\n', ''))
    rmSync(join(folder, 'moved here'))
    put('moved/there', many('moved').replace('moved 7\n', 'moved seven\n'))
    put('ends', 'no newline\nmore')
    put('crlf', 'a\r\nB\r\nc\r\n')
    rmSync(join(folder, 'gone'))
    put('mode', 'x\n', 0o755)
    rmSync(join(folder, 'empty'))
    put('also empty', '')
    put('käse "q"\t.txt', 'quoted\nagain\n')
    put('b/a/f', 'nested\n\ndiff --git a/x b/x\n')
    put('binary', '\0\x02')
    put('new/deep', 'n\n')
    git('add', '-A')
    const names = [
      'f',
      'src/long.ts',
      'ends',
      'crlf',
      'gone',
      'mode',
      'empty',
      'also empty',
      'käse "q"\t.txt',
      'b/a/f',
      'new/deep',
      'binary',
    ]
    const ways = [[], ['-U0'], ['--no-prefix'], ['-M', '-U1'], ['--full-index', '--binary']]
    const sets = [['moved here', 'moved/there'], ['f', 'crlf', 'ends', 'new/deep'], ...names.map((name) => [name])]
    return ways.flatMap((way) => sets.map((set) => git('diff', '--cached', '-M', ...way, '--', ...set)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const oddLines = [
  'diff --git a/x b/x',
  'diff --git a/safe.md b/AGENTS.md',
  'diff -u old new',
  'diff old new',
  'Index: sneaky',
  '='.repeat(67),
  '--- a/other',
  '+++ b/other',
  '--- /dev/null',
  '+++ /dev/null',
  '--- "a/q\\303\\244"',
  '+++ "b/q\\303\\244"',
  '--- a/f\t2026-01-01 00:00:00 +0000',
  '+++ b/f\t2026-01-01 00:00:00 +0000',
  '+++ b/f ',
  'rename from f',
  'rename to .git/config',
  'copy from f',
  'copy to g',
  'new file mode 100644',
  'deleted file mode 100644',
  'old mode 100644',
  'new mode 100755',
  'similarity index 90%',
  'index 0000000..1111111 100644',
  '@@ -1 +1 @@',
  '@@ -0,0 +1 @@',
  '@@ -1,0 +1,3 @@ heading',
  '\\ No newline at end of file',
  ' ',
  '',
  '+x',
  '-x',
  '*** Update File: x',
  'Binary files a/x and b/x differ',
  'GIT binary patch',
  '--\u00a0a/f',
  '‐‐‐ a/f',
  '＋＋＋ b/f',
  '+\u0000',
  '\r',
]

type Edit = (lines: readonly string[], at: number, other: number, word: string) => string[]
const edits: Record<string, Edit> = {
  cut: (lines, at) => lines.slice(0, at),
  behead: (lines, at) => lines.slice(at),
  drop: (lines, at) => lines.toSpliced(at, 1),
  double: (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
  swap: (lines, at, other) => lines.with(at, lines[other] ?? '').with(other, lines[at] ?? ''),
  insert: (lines, at, _, word) => lines.toSpliced(at, 0, word),
  insertInside: (lines, at, _, word) => lines.toSpliced(at, 0, ` ${word}`),
  insertAdded: (lines, at, _, word) => lines.toSpliced(at, 0, `+${word}`),
  replace: (lines, at, _, word) => lines.with(at, word),
  counts: (lines, at, other) =>
    lines.map((line) =>
      line.replace(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/, `@@ -$1,${at % 5} +$2,${other % 5} @@`),
    ),
  countOfOne: (lines, at, other) =>
    lines.map((line, index) => (index === at ? line.replace(/,\d+ @@/, `,${other} @@`) : line)),
  carriage: (lines, at) => lines.map((line, index) => (index >= at ? `${line}\r` : line)),
  carriageOfOne: (lines, at) => lines.with(at, `${lines[at]}\r`),
  tab: (lines) => lines.map((line) => (/^(?:---|\+\+\+) /.test(line) ? `${line}\t2026-01-01` : line)),
  blank: (lines) => lines.map((line) => (/^(?:---|\+\+\+) /.test(line) ? `${line} ` : line)),
  bare: (lines) => lines.map((line) => line.replace(/^(--- |\+\+\+ )[ab]\//, '$1')),
  mark: (lines) => lines.with(0, `\ufeff${lines[0] ?? ''}`),
  nul: (lines, at) => lines.with(at, `${lines[at]}\0`),
  alike: (lines) => lines.map((line) => line.replace(/f$/, '\u0192')),
  dots: (lines) => lines.map((line) => line.replace(/^(--- |\+\+\+ )([ab]\/)/, '$1$2../')),
}

const mutation = fc.record({
  edit: fc.constantFrom(...Object.keys(edits)),
  at: fc.nat(200),
  other: fc.nat(200),
  word: fc.constantFrom(...oddLines),
})
type Mutation = { edit: string; at: number; other: number; word: string }

function mutated(diff: string, changes: readonly Mutation[]): string {
  let lines: readonly string[] = diff.split('\n')
  for (const { edit, at, other, word } of changes)
    if (lines.length > 0) lines = edits[edit]?.(lines, at % lines.length, other % lines.length, word) ?? lines
  return lines.join('\n')
}

type Told = { path: string; hunks: string }

/** Each file that would be touched, and how. */
const appliedOf = (changes: readonly FileChange[]): Told[] =>
  changes.map(({ from, to, hunks }) => ({
    path: [from, to]
      .filter((name) => name !== null)
      .filter((name, at, all) => all.indexOf(name) === at)
      .join(' → '),
    hunks: JSON.stringify(
      hunks.map(({ oldStart, newStart, lines }) => [
        oldStart,
        newStart,
        lines.map(({ op, text, ended }) => [op, text, ended]),
      ]),
    ),
  }))

const shownOf = (diff: string, name: string): { told: Told[]; whole: boolean } => {
  const { files, leftOut } = readShown(diff, name)
  return {
    told: files.map(({ path, from, hunks }) => ({
      path: from === null ? path : `${from} → ${path}`,
      hunks: JSON.stringify(
        hunks.map(({ oldStart, newStart, lines }) => [
          oldStart,
          newStart,
          lines.map(({ op, text, ended }) => [op, text, ended]),
        ]),
      ),
    })),
    whole: leftOut === 0 && files.every(({ unread }) => unread === null),
  }
}

/** `expect` is slow when called a hundred thousand times, so it is called only for differences. */
const same = (one: unknown, other: unknown, what: string): void => {
  if (!isDeepStrictEqual(one, other)) expect(one, what).toEqual(other)
}

const touched = (changes: readonly FileChange[]): string[] =>
  [...new Set(changes.flatMap(({ from, to }) => [from, to].filter((name) => name !== null)))].toSorted()

describe('S8 diffs are read the same everywhere', () => {
  it(`what is shown, what the policy judged and what is applied are the same, for ${runs} diffs (seed ${seed})`, () => {
    const corpus = realDiffs().filter((diff) => diff !== '')
    expect(corpus.length).toBeGreaterThan(50)
    const seen = { accepted: 0, refused: 0, judged: 0 }
    /** Even a diff that can't be applied is shown line by line, and counted as shown. */
    const refused = (diff: string): void => {
      seen.refused += 1
      const { files } = readShown(diff, 'name')
      const lines = files.flatMap(({ hunks, unread }) => [
        ...hunks.flatMap((hunk) => hunk.lines.map(({ op, text }) => op + text)),
        ...(unread?.lines ?? []),
      ])
      const missing = diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line) && !lines.includes(line))
      same(files.some(({ binary }) => binary) ? [] : missing, [], 'every line is shown')
      same(
        diffStat(diff, 'name').map(({ path, added, removed }) => ({ path, added, removed })),
        files.filter(({ change }) => change !== 'unread').map(({ path, added, removed }) => ({ path, added, removed })),
        'what is counted is what is shown',
      )
    }
    const one = (diff: string): void => {
      if (!readsAsDiff(diff)) return
      const read = readApplied(diff, true)
      if (!read.ok) return refused(diff)
      seen.accepted += 1
      const paths = touched(read.value)
      const [main = ''] = paths
      const shown = shownOf(diff, main)
      same(shown.told, appliedOf(read.value), 'what is shown is what is applied')
      same(shown.whole, true, 'nothing of it is left out or unread')
      const files = paths.map((path) => ({ path, hash: 'x' }))
      // With the files as a server lists them, and without, as an agent that only shows the diff.
      for (const subject of [
        { kind: 'diff' as const, filePath: main, diff, files },
        { kind: 'diff' as const, filePath: main, diff, files: [] },
      ]) {
        const matter = policySubjectOf(subject, { workspaceRoot: root })
        if (matter === null) continue
        seen.judged += 1
        const judged = matter.kind === 'files' ? matter.paths.map((path) => resolve(root, path)) : []
        const missed = paths.filter((path) => !judged.includes(resolve(root, path)))
        same(missed, [], 'the policy judged every file')
        // If the server listed them, exactly those.
        const others = judged.filter((path) => !paths.some((one) => resolve(root, one) === path))
        same(subject.files.length > 0 ? others : [], [], 'and no others')
      }
      const counted = diffStat(diff, main)
      same(
        counted.map(({ path }) => path),
        read.value.map(({ from, to }) => to ?? from),
        'the files that are counted',
      )
      const count = (op: string): number =>
        read.value.reduce(
          (sum, { hunks }) => sum + hunks.flatMap(({ lines }) => lines).filter((line) => line.op === op).length,
          0,
        )
      same(
        [counted.reduce((sum, { added }) => sum + added, 0), counted.reduce((sum, { removed }) => sum + removed, 0)],
        [count('+'), count('-')],
        'the lines that are counted',
      )
    }
    for (const diff of corpus) one(diff)
    expect(seen.accepted).toBeGreaterThan(40)
    fc.assert(
      fc.property(
        fc.nat(corpus.length - 1),
        fc.nat(corpus.length - 1),
        fc.boolean(),
        fc.array(mutation, { maxLength: 4 }),
        (at, next, both, changes) => {
          const diff = (corpus[at] ?? '') + (both ? (corpus[next] ?? '') : '')
          one(mutated(diff, changes))
        },
      ),
      { seed, numRuns: runs, endOnFailure: false },
    )
    console.log(`diffs (seed ${seed}): ${JSON.stringify(seen)}`)
    expect(seen.accepted).toBeGreaterThan(1000)
    expect(seen.judged).toBeGreaterThan(500)
  })
})
