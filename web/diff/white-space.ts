import { diffArrays } from 'diff'
import type { DiffLine, ShownHunk } from './diff-model.ts'

/** Unusual space characters are not layout: they stay visible. */
const bare = (text: string): string => (text.length > longestLine ? text : text.replaceAll(/[ \t\r\f\v]+/g, ''))

const patienceMs = 50
const longestLine = 20_000

/** The hunks with changes that only affect white space shown as unchanged, marked `quiet`. */
export const withoutWhiteSpace = (hunks: readonly ShownHunk[]): ShownHunk[] =>
  hunks.map((hunk) => ({ ...hunk, lines: quieted(hunk.lines) }))

function quieted(lines: readonly DiffLine[]): DiffLine[] {
  const result: DiffLine[] = []
  for (let at = 0; at < lines.length;) {
    const from = at
    while (at < lines.length && lines[at]?.op !== ' ') at += 1
    for (const line of quietBlock(lines.slice(from, at))) result.push(line)
    const context = lines[at]
    if (context !== undefined) result.push(context)
    at += 1
  }
  return result
}

function quietBlock(block: readonly DiffLine[]): DiffLine[] {
  const removed = block.filter(({ op }) => op === '-')
  const added = block.filter(({ op }) => op === '+')
  const changes = diffArrays(
    removed.map(({ text }) => bare(text)),
    added.map(({ text }) => bare(text)),
    { timeout: patienceMs },
  )
  if (changes === undefined) return [...block]
  const result: DiffLine[] = []
  let [oldAt, newAt] = [0, 0]
  for (const change of changes) {
    for (let count = 0; count < change.count; count += 1) {
      const before = change.added ? undefined : removed[oldAt++]
      const after = change.removed ? undefined : added[newAt++]
      if (before && after) result.push({ ...after, op: ' ', oldNumber: before.oldNumber, quiet: true })
      else for (const line of [before, after]) if (line) result.push(bare(line.text) === '' ? hushed(line) : line)
    }
  }
  return result
}

const hushed = (line: DiffLine): DiffLine => ({ ...line, op: ' ', quiet: true })

export const countQuiet = (hunks: readonly ShownHunk[]): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter(({ quiet }) => quiet).length, 0)
