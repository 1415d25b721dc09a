import type { LineComment } from '../../../diff/line-comments.ts'

/** A quoted line is cut here. */
const mostQuoted = 500

/**
 * A review as the agent reads it: what is said about the whole, then each comment with `file:line`, the quoted line and
 * the words.
 */
export function reviewWords(summary: string, comments: readonly LineComment[]): string {
  const parts = comments.toSorted(byPlace).map(({ file, side, line, quoted, text }) => {
    const where = `${oneLine(file)}:${line}${side === 'old' ? ' (removed)' : ''}`
    return `${where}\n> ${oneLine(quoted).slice(0, mostQuoted)}\n${text}`
  })
  return [summary, ...parts].filter((part) => part !== '').join('\n\n')
}

const byPlace = (a: LineComment, b: LineComment): number =>
  a.file === b.file ? a.line - b.line || (a.side === 'old' ? -1 : 1) : a.file < b.file ? -1 : 1

const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ')
