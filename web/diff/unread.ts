import type { Hunk, Op, Unread } from './model.ts'

/** What is no diff, as lines that are coloured by how they begin and keep all they have. */
export const unreadHunk = ({ lines, line }: Unread): Hunk => ({
  oldStart: 0,
  oldLines: 0,
  newStart: 0,
  newLines: 0,
  heading: '',
  lines: lines.map((text, index) => ({
    op: opOf(text),
    text,
    oldNumber: null,
    newNumber: line + index,
    ended: true,
  })),
})

const opOf = (text: string): Op => {
  if (/^(?:\+\+\+|---) /.test(text)) return ' '
  return text.startsWith('+') ? '+' : text.startsWith('-') ? '-' : ' '
}
