import type { Hunk, Op, Unread } from './diff-model.ts'

/** Unparsed lines, kept whole and coloured by their first character. */
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
