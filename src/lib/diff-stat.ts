import { structuredPatch } from 'diff'
import { readDiff, type FileChange } from './diff/read-diff.ts'

/** What a diff does to one file, in lines. */
export type FileStat = {
  path: string
  change: 'added' | 'modified' | 'deleted' | 'renamed'
  added: number
  removed: number
}

type Seen = {
  from: string
  to: string
  added: number
  removed: number
  hunks: number
  oldSide: number
  newSide: number
}

const nowhere = '/dev/null'
const hunkStart = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
/** How long two texts may be compared; others wait meanwhile. */
const patienceMs = 20

/** Counts a unified diff as it would be applied; if it can't be, as it is shown. `usual` names a file it has no name for. */
export function diffStat(diff: string, usual: string): FileStat[] {
  const read = readDiff(diff, true)
  return read.ok ? read.value.map(changeStat) : looseStat(diff, usual)
}

function changeStat({ from, to, hunks }: FileChange): FileStat {
  const count = (mark: string): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter(({ op }) => op === mark).length, 0)
  const [first, ...more] = hunks
  return statOf({
    from: from ?? nowhere,
    to: to ?? nowhere,
    added: count('+'),
    removed: count('-'),
    hunks: hunks.length,
    oldSide: more.length === 0 ? (first?.oldLines ?? 0) : 1,
    newSide: more.length === 0 ? (first?.newLines ?? 0) : 1,
  })
}

function looseStat(diff: string, usual: string): FileStat[] {
  const files: Seen[] = []
  let now: Seen | null = null
  let [old, fresh] = [0, 0]
  const begin = (from: string, to: string): Seen => {
    const file = { from, to, added: 0, removed: 0, hunks: 0, oldSide: 0, newSide: 0 }
    files.push(file)
    return file
  }
  for (const line of diff.split('\n')) {
    if (now && (old > 0 || fresh > 0)) {
      const mark = line[0] ?? ' '
      if (mark === '+') now.added += 1
      if (mark === '-') now.removed += 1
      if (mark !== '+' && mark !== '\\') old -= 1
      if (mark !== '-' && mark !== '\\') fresh -= 1
      continue
    }
    const hunk = hunkStart.exec(line)
    if (hunk) {
      now ??= begin(usual, usual)
      ;[old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
      now.hunks += 1
      now.oldSide += old
      now.newSide += fresh
    } else if (line.startsWith('diff --git ')) {
      const same = twiceIn(line.slice('diff --git '.length).replace(/\r$/, '')) ?? usual
      now = begin(same, same)
    } else if (line.startsWith('--- ')) {
      if (!now || now.hunks > 0) now = begin(usual, usual)
      now.from = nameIn(line.slice(4))
    } else if (now && line.startsWith('+++ ')) now.to = nameIn(line.slice(4))
    else if (now && line.startsWith('rename from ')) now.from = nameIn(line.slice(12))
    else if (now && line.startsWith('rename to ')) now.to = nameIn(line.slice(10))
    else if (now && line.startsWith('new file mode')) now.from = nowhere
    else if (now && line.startsWith('deleted file mode')) now.to = nowhere
  }
  return files.map(statOf)
}

function statOf({ from, to, added, removed, hunks, oldSide, newSide }: Seen): FileStat {
  const path = to === nowhere ? from : to
  // A file that is empty on one side of its only hunk is new, or gone.
  if (from === nowhere || (hunks === 1 && oldSide === 0)) return { path, change: 'added', added, removed }
  if (to === nowhere || (hunks === 1 && newSide === 0)) return { path, change: 'deleted', added, removed }
  return { path, change: from === to ? 'modified' : 'renamed', added, removed }
}

/** The name that `a/name b/name` says twice, with or without its prefixes. */
function twiceIn(both: string): string | null {
  for (const [before, after] of [
    ['a/', 'b/'],
    ['', ''],
    ['a/', ''],
    ['', 'b/'],
  ] as const) {
    const half = (both.length - before.length - after.length - 1) / 2
    const name = half > 0 ? both.slice(before.length, before.length + half) : ''
    if (name !== '' && both === `${before}${name} ${after}${name}`) return name
  }
  return null
}

/** `a/src/x.ts`, perhaps quoted, perhaps with a time behind a tab. */
function nameIn(text: string): string {
  const name = (text.split('\t')[0] ?? '').replace(/\r$/, '').replace(/^"(.*)"$/, '$1')
  return name.replace(/^[ab]\//, '')
}

/** Counts what becomes of a file's text; null: it was not there. `rough`: without looking where its lines are. */
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

/** How many lines there are that the other side does not have. */
function without(lines: readonly string[], others: readonly string[]): number {
  const there = new Map<string, number>()
  for (const line of others) there.set(line, (there.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const left = there.get(line) ?? 0
    there.set(line, left - 1)
    return left <= 0
  }).length
}
