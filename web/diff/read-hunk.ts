import type { DiffLine, Hunk, Op } from './diff-model.ts'

const head = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)/

/** Parses the hunk at a line; null if its lines do not match its header. Applying uses the same rules. */
export function readHunk(lines: readonly string[], start: number): { hunk: Hunk; next: number } | null {
  const found = head.exec(lines[start] ?? '')
  if (found === null) return null
  const [, oldStart = '0', oldLines = '1', newStart = '0', newLines = '1', heading = ''] = found
  const hunk: Hunk = {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
    heading: heading.trimEnd(),
    lines: [],
  }
  let [oldLeft, newLeft, oldAt, newAt] = [hunk.oldLines, hunk.newLines, hunk.oldStart, hunk.newStart]
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const last = hunk.lines.at(-1)
    if (line.startsWith('\\')) {
      if (last === undefined || !last.ended) return null
      last.ended = false
      continue
    }
    if (oldLeft === 0 && newLeft === 0) break
    const read = opOf(line)
    if (read === null) return null
    const { op, text } = read
    if (op !== '+') oldLeft -= 1
    if (op !== '-') newLeft -= 1
    if (oldLeft < 0 || newLeft < 0) return null
    hunk.lines.push({
      op,
      text,
      oldNumber: op === '+' ? null : oldAt++,
      newNumber: op === '-' ? null : newAt++,
      ended: true,
    })
  }
  return oldLeft > 0 || newLeft > 0 ? null : { hunk, next: at }
}

function opOf(line: string): { op: Op; text: string } | null {
  // Editors strip the single space of an empty line.
  if (line === '' || line === '\r') return { op: ' ', text: line }
  const op = line[0]
  return op === ' ' || op === '+' || op === '-' ? { op, text: line.slice(1) } : null
}

export const wholeHunk = (texts: readonly string[], ended: boolean): Hunk => ({
  oldStart: 0,
  oldLines: 0,
  newStart: 1,
  newLines: texts.length,
  heading: '',
  lines: texts.map((text, index): DiffLine => ({
    op: '+',
    text,
    oldNumber: null,
    newNumber: index + 1,
    ended: ended || index < texts.length - 1,
  })),
})
