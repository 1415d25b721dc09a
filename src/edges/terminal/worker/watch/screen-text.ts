import type { Screen } from '../../../../domain/terminal/screen.ts'

/** A line as the program wrote it: wrapped pieces joined, blanks collapsed. */
export type LogicalLine = { text: string; cursor: boolean }

const frames = /[\u2500-\u257f]/g
export const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
/** For comparison: without the frame of a dialog. */
export const plain = (text: string): string => collapse(text.replaceAll(frames, ' '))

/** All lines, oldest first, without empty ones at the end that the cursor has not reached. */
export function logicalLines(screen: Screen): LogicalLine[] {
  const rows = [...screen.above, ...screen.lines]
  const cursorRow = screen.above.length + screen.cursor.row
  const lines: LogicalLine[] = []
  for (const [index, row] of rows.entries()) {
    const before = row.wrapped ? lines.at(-1) : undefined
    if (before) {
      before.text += row.text
      before.cursor ||= index === cursorRow
    } else lines.push({ text: row.text, cursor: index === cursorRow })
  }
  while (lines.length > 0 && !lines.at(-1)?.cursor && lines.at(-1)?.text === '') lines.pop()
  return lines.map(({ text, cursor }) => ({ text: plain(text), cursor }))
}

/** The last line of a prompt, which the answer follows. */
export const lastLine = (text: string): string => {
  const lines = text.split('\n').map(plain)
  return lines.findLast((line) => line !== '') ?? plain(text)
}

/** Everything before the cursor's line, to tell whether the same words are in another place. */
export function textAbove(lines: readonly LogicalLine[]): string {
  const at = lines.findIndex(({ cursor }) => cursor)
  return lines
    .slice(0, at === -1 ? lines.length : at)
    .map(({ text }) => text)
    .join('\n')
}
