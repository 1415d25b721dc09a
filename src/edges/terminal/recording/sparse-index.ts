import { readFile } from 'node:fs/promises'
import { indexPath, type Segment } from './segment.ts'

/** A position where a line of a segment begins, so that reading can start there. */
export type IndexMark = { readonly offset: number; readonly position: number; readonly ms: number }

/** How much text is between two marks. */
export const markEvery = 64 * 1024

export const markLine = (mark: IndexMark): string => `${mark.offset} ${mark.position} ${mark.ms}\n`

/**
 * The marks of a segment. They only save time: a file that is missing, torn or ahead of its segment costs a longer
 * read, never a wrong one.
 */
export async function readMarks(segment: Segment, bytes: number): Promise<IndexMark[]> {
  const text = await readFile(indexPath(segment), 'latin1').catch(() => '')
  const lines = text.split('\n')
  lines.pop()
  const marks: IndexMark[] = []
  for (const line of lines) {
    const [offset, position, ms] = line.split(' ').map(Number)
    const last = marks.at(-1)
    if (offset === undefined || position === undefined || ms === undefined) break
    if (Number.isNaN(offset + position + ms) || position >= bytes) break
    if (last && (offset <= last.offset || position <= last.position)) break
    marks.push({ offset, position, ms })
  }
  return marks
}

/** The last mark that is not after `offset`. */
export function markBefore(marks: readonly IndexMark[], offset: number): IndexMark | null {
  return marks.findLast((mark) => mark.offset <= offset) ?? null
}
