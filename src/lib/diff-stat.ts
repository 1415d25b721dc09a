import { structuredPatch } from 'diff'
import { readLooseHeader } from './diff/loose-header.ts'
import { readDiff } from './diff/read-diff.ts'
import { linesOf as linesIn, scanDiff, type Hunk } from './diff/scan-diff.ts'

/** The line counts of a diff for one file. */
export type FileStat = {
  path: string
  change: 'added' | 'modified' | 'deleted' | 'renamed'
  added: number
  removed: number
}

/** How long two texts may be compared; it blocks other work. */
const patienceMs = 20

/** Counts a unified diff as it would be applied, or as shown if it can't be. `usual` is the path if it names none. */
export function diffStat(diff: string, usual: string): FileStat[] {
  const read = readDiff(diff, true)
  if (read.ok) return read.value.map(({ from, to, hunks }) => statOf(to ?? from ?? usual, changeOf(from, to), hunks))
  return scanDiff(linesIn(diff.replace(/^\uFEFF/, '')))
    .filter(({ header, hunks }) => header.length > 0 || hunks.length > 0)
    .map(({ header, hunks }) => {
      const { path, change } = readLooseHeader(header, usual)
      return statOf(path, change === 'copied' ? 'renamed' : change, hunks)
    })
}

const changeOf = (from: string | null, to: string | null): FileStat['change'] =>
  from === null ? 'added' : to === null ? 'deleted' : from === to ? 'modified' : 'renamed'

function statOf(path: string, change: FileStat['change'], hunks: readonly Hunk[]): FileStat {
  const count = (mark: string): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter(({ op }) => op === mark).length, 0)
  const [added, removed] = [count('+'), count('-')]
  const [first, ...more] = hunks
  // A file that is empty on one side of its only hunk is new or deleted.
  const only = more.length === 0 ? first : undefined
  if (change !== 'deleted' && only?.oldLines === 0) return { path, change: 'added', added, removed }
  if (change !== 'added' && only?.newLines === 0) return { path, change: 'deleted', added, removed }
  return { path, change, added, removed }
}

/** Counts the changed lines of a file; null: it did not exist. `rough`: ignores the position of lines. */
export function editStat(path: string, before: string | null, after: string, rough = false): FileStat {
  const change = before === null || before === '' ? 'added' : 'modified'
  const [old, fresh] = [linesOf(before ?? ''), linesOf(after)]
  if (old.length === 0 || fresh.length === 0) return { path, change, added: fresh.length, removed: old.length }
  const exact = { context: 0, timeout: patienceMs }
  const patch = rough ? undefined : structuredPatch(path, path, before ?? '', after, '', '', exact)
  if (!patch) return { path, change, added: without(fresh, old), removed: without(old, fresh) }
  const count = (mark: string) =>
    patch.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0)
  return { path, change, added: count('+'), removed: count('-') }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** The number of lines that the other side does not have. */
function without(lines: readonly string[], others: readonly string[]): number {
  const there = new Map<string, number>()
  for (const line of others) there.set(line, (there.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const left = there.get(line) ?? 0
    there.set(line, left - 1)
    return left <= 0
  }).length
}
