import { readLooseHeader } from '../../src/lib/diff/loose-header.ts'
import { readsAsDiff } from '../../src/lib/diff/read-diff.ts'
import { scanDiff, type DiffSection, type Hunk as ScannedHunk } from '../../src/lib/diff/scan-diff.ts'
import { emptyFile, type DiffFile, type DiffLine, type ShownHunk, type ReadDiff } from './diff-model.ts'
import { withContext } from './fill-context.ts'

/** The most lines a page can carry. */
export const mostLines = 200_000

/** Parses a diff of any quality. Lines that are not part of it are kept as unread, so that nothing is hidden. */
export function readDiff(text: string, name: string): ReadDiff {
  const { lines, ended, leftOut } = cut(text.replace(/^\uFEFF/, ''))
  return {
    files: readsAsDiff(text)
      ? scanDiff(lines).map((section) => fileOf(section, name))
      : [wholeFile(lines, ended, name)],
    leftOut,
  }
}

/** Whole content, shown as its changes; if those do not produce it, as is. */
export function readWhole(change: string, whole: string, name: string): ReadDiff & { misfit: boolean } {
  const read = readDiff(change, name)
  const [only, ...more] = read.files
  const file = only && more.length === 0 && read.leftOut === 0 ? withContext(only, whole) : null
  if (file) return { files: [file], leftOut: 0, misfit: false }
  const { lines, ended, leftOut } = cut(whole)
  return { files: [wholeFile(lines, ended, name)], leftOut, misfit: true }
}

function cut(text: string): { lines: string[]; ended: boolean; leftOut: number } {
  const lines = text.split('\n')
  const ended = lines.at(-1) === ''
  if (ended) lines.pop()
  const leftOut = Math.max(0, lines.length - mostLines)
  if (leftOut > 0) lines.length = mostLines
  return { lines, ended: ended || leftOut > 0, leftOut }
}

function wholeFile(lines: readonly string[], ended: boolean, name: string): DiffFile {
  const file = { ...emptyFile(name, 'added'), added: lines.length }
  if (lines.length > 0) file.hunks = [wholeHunk(lines, ended)]
  return file
}

function fileOf({ header, hunks, unread }: DiffSection, name: string): DiffFile {
  const isNamed = header.length > 0 || hunks.length > 0
  const file = isNamed
    ? { ...emptyFile(name, 'modified'), ...readLooseHeader(header, name) }
    : emptyFile(name, 'unread')
  for (const hunk of hunks) {
    file.hunks.push(numbered(hunk))
    for (const { op } of hunk.lines) {
      if (op === '+') file.added += 1
      if (op === '-') file.removed += 1
    }
  }
  file.unread = unread
  return file
}

function numbered(hunk: ScannedHunk): ShownHunk {
  let [oldAt, newAt] = [hunk.oldStart, hunk.newStart]
  const lines = hunk.lines.map(({ op, text, ended }): DiffLine => ({
    op,
    text,
    oldNumber: op === '+' ? null : oldAt++,
    newNumber: op === '-' ? null : newAt++,
    ended,
  }))
  return { ...hunk, lines }
}

const wholeHunk = (texts: readonly string[], ended: boolean): ShownHunk =>
  numbered({
    oldStart: 0,
    oldLines: 0,
    newStart: 1,
    newLines: texts.length,
    heading: '',
    lines: texts.map((text, index) => ({ op: '+', text, ended: ended || index < texts.length - 1 })),
  })
