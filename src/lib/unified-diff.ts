import { structuredPatch } from 'diff'

/** How long a comparison may take before both sides are shown whole; it blocks other work. */
const patienceMs = 100

/** The change of a file as a readable diff; null stands for a file that does not exist. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return ''
  const [from, to] = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`]
  const compared = structuredPatch(from, to, before ?? '', after ?? '', '', '', { context: 3, timeout: patienceMs })
  const hunks = compared?.hunks ?? [replaced(linesOf(before ?? ''), linesOf(after ?? ''))]
  const head = [`--- ${from}`, `+++ ${to}`]
  return [...head, ...hunks.flatMap(({ lines, ...at }) => [headOf(at)].concat(lines)), ''].join('\n')
}

type Spans = { oldStart: number; oldLines: number; newStart: number; newLines: number }

const headOf = ({ oldStart, oldLines, newStart, newLines }: Spans): string =>
  `@@ -${span(oldStart, oldLines)} +${span(newStart, newLines)} @@`

/** An empty side starts at the line before. */
const span = (start: number, count: number): string => {
  const first = count === 0 ? Math.max(0, start - 1) : start
  return count === 1 ? `${first}` : `${first},${count}`
}

const noNewline = '\\ No newline at end of file'

type Side = { lines: string[]; count: number }

function linesOf(text: string): Side {
  if (text === '') return { lines: [], count: 0 }
  const lines = text.replace(/\n$/, '').split('\n')
  return { lines: text.endsWith('\n') ? lines : [...lines, noNewline], count: lines.length }
}

function replaced(old: Side, changed: Side) {
  const signed = (sign: string, { lines }: Side) => lines.map((line) => (line === noNewline ? line : sign + line))
  return {
    oldStart: Math.min(1, old.count),
    oldLines: old.count,
    newStart: Math.min(1, changed.count),
    newLines: changed.count,
    lines: [...signed('-', old), ...signed('+', changed)],
  }
}
