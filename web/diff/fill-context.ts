import type { DiffFile, DiffLine } from './diff-model.ts'

/**
 * The change of one file with the unchanged lines that the diff leaves out, taken from the resulting text. Null if the
 * two do not match: one of them is wrong.
 */
export function withContext(file: DiffFile, text: string): DiffFile | null {
  if (file.unread !== null || file.binary) return null
  const texts = text.split('\n')
  const ended = texts.at(-1) === ''
  if (ended) texts.pop()
  const lines: DiffLine[] = []
  let [oldNumber, newNumber] = [1, 1]
  const addUpTo = (end: number): void => {
    for (; newNumber < end; oldNumber += 1, newNumber += 1)
      lines.push({
        op: ' ',
        text: texts[newNumber - 1] ?? '',
        oldNumber,
        newNumber,
        ended: ended || newNumber < texts.length,
      })
  }
  for (const hunk of file.hunks) {
    // A side without lines starts at the line before it.
    const first = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart
    const oldFirst = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart
    if (first < newNumber || first - newNumber !== oldFirst - oldNumber || first > texts.length + 1) return null
    addUpTo(first)
    for (const line of hunk.lines) {
      if (line.op !== '-' && texts[newNumber - 1] !== line.text) return null
      if (line.op !== '-') newNumber += 1
      if (line.op !== '+') oldNumber += 1
      lines.push(line)
    }
  }
  if (newNumber > texts.length + 1) return null
  addUpTo(texts.length + 1)
  const [oldLines, newLines] = [oldNumber - 1, newNumber - 1]
  const whole = { oldStart: Math.min(1, oldLines), oldLines, newStart: Math.min(1, newLines), newLines, heading: '' }
  return { ...file, hunks: [{ ...whole, lines }] }
}
