import { isDrawing, oneLine, question as questionMark, withoutBorders } from '../text/strip.ts'
import { marked, type View } from '../text/view.ts'

export type Option = { key: string | null; label: string; selected: boolean }
export type Menu = {
  /** The question above the list; empty where there is none. */
  question: string
  options: Option[]
  /** Rows of the screen, of the question and its list. */
  first: number
  last: number
}

const pointer = /^(\s*)(?:[❯›▸▶►➤→»]\s*|(?:>|-{1,2}>|=>|\*)\s+)(?=\S)/u
const radio = /^(\s*)(?:[❯›▸>]\s*)?(●|◉|◯|○|◻|◼|☐|☑|☒|⬡|⬢|⊙|\( ?\)|\([*xX•o]\)|\[ ?\]|\[[xX*✔✓]\])\s+(?=\S)/u
const chosen = /●|◉|◼|☑|☒|⬢|⊙|\([*xX•o]\)|\[[xX*✔✓]\]/u
const inline = /^\s*(●|○|◉|◯)\s+(\S.*?)\s+\/\s+(●|○|◉|◯)\s+(\S.*)$/u
const hint =
  /arrow|navigate|↑|↓|<space>|\bspace\b.*(?:select|toggle)|enter.*(?:confirm|select|submit|accept)|to (?:select|confirm|toggle|submit|cancel|move)|reveal more|type to (?:search|filter)/i

type Row = { text: string; row: number }

/** A list drawn to be gone through with keys. */
export function findMenu(view: View): Menu | null {
  const rows = view.screen.lines.map(({ text }, row) => ({ text: withoutBorders(text), row }))
  const end = rows.findLastIndex(({ text }) => text.trim() !== '' && !isDrawing(text))
  for (let row = end; row >= 0 && row > end - 30; row -= 1) {
    const found =
      toggleOf(view, rows[row] ?? { text: '', row }) ??
      (isTypedIn(view, row) ? null : (inlineMenu(rows, row) ?? listMenu(view, rows, row) ?? litMenu(view, rows, row)))
    if (found === null) continue
    const below = rows.slice(found.last + 1, end + 1).filter(({ text }) => text.trim() !== '' && !isDrawing(text))
    if (below.length > 6 || (below.length > 3 && !below.some(({ text }) => hint.test(text)))) return null
    return found
  }
  return null
}

/** The line where a search is typed begins like a chosen entry. */
const isTypedIn = ({ screen: { cursor }, before, after }: View, row: number): boolean =>
  row === cursor.row && !cursor.hidden && after.trim() === '' && /\S/.test(before)

const toggle = /^(\?\s.*?)\s+[›‣]\s+(\S[^/]{0,24}?)\s+\/\s+(\S[^/]{0,24})$/u

/** Two answers beside the question; the other one is marked. */
function toggleOf(view: View, { text, row }: Row): Menu | null {
  const found = toggle.exec(text.trim())
  if (found === null) return null
  const options = found.slice(2, 4).map((label) => {
    const from = text.lastIndexOf(label)
    return {
      key: null,
      label,
      selected: marked(view.screen.lines[row] ?? { marks: [] }, 'underline', from, from + label.length),
    }
  })
  return { question: oneLine(found[1] ?? ''), options, first: row, last: row }
}

/** What stands right below a library's question is to be chosen from, however it is marked. */
export function listBelow(view: View): Option[] | null {
  const { lines, cursor } = view.screen
  if (!questionMark.test(lines[cursor.row]?.text.trim() ?? '')) return null
  const below = lines.slice(cursor.row + 1)
  const count = below.findIndex(({ text }) => text.trim() === '' || isDrawing(text) || hint.test(text))
  const entries = count === -1 ? below : below.slice(0, count)
  if (entries.length < 2) return null
  return entries.map(({ text, marks }) => ({
    key: null,
    label: oneLine(text.replace(/^\s*[^\p{L}\p{N}\s]\s+/u, '')),
    selected: marks.some(({ kind }) => kind === 'underline' || kind === 'inverse'),
  }))
}

function inlineMenu(rows: readonly Row[], row: number): Menu | null {
  const found = inline.exec(rows[row]?.text ?? '')
  if (found === null) return null
  const [, firstMark = '', first = '', secondMark = '', second = ''] = found
  const options = [
    { key: null, label: first, selected: chosen.test(firstMark) },
    { key: null, label: second, selected: chosen.test(secondMark) },
  ]
  return { ...questionAbove(rows, row), options, last: row }
}

function listMenu(view: View, rows: readonly Row[], row: number): Menu | null {
  const text = rows[row]?.text ?? ''
  const found = radio.exec(text) ?? pointer.exec(text)
  if (found === null) return null
  const isRadio = radio.test(text)
  const column = found[0].length
  const belongs = (other: string): boolean => {
    if (radio.test(other)) return true
    if (isRadio) return false
    const indent = /^\s*/.exec(other)?.[0].length ?? 0
    return other.trim() !== '' && Math.abs(indent - column) <= 1 && !hint.test(other)
  }
  let first = row
  let last = row
  while (first > 0 && belongs(rows[first - 1]?.text ?? '') && !questionMark.test(rows[first - 1]?.text.trim() ?? ''))
    first -= 1
  while (last + 1 < rows.length && goesOn(rows[last + 1]?.text ?? '', belongs)) last += 1
  const block = rows.slice(first, last + 1).filter(({ text: line }) => line.trim() !== '')
  const points = block.filter(({ text: line }) => !radio.test(line) && pointer.test(line))
  if (block.length < 2 || (!isRadio && points.length !== 1)) return null
  const options = block.flatMap((line) => optionOf(view, line, column, isRadio))
  if (options.length < 2) return null
  return { ...questionAbove(rows, first), options, last }
}

/** Lines under each other, the cursor at the start of the one that is lit. */
function litMenu({ screen }: View, rows: readonly Row[], row: number): Menu | null {
  const { cursor, lines, alternate } = screen
  if (alternate || cursor.row !== row || cursor.col > 2) return null
  const lit = (at: number): boolean => {
    const { text = '', marks = [] } = lines[at] ?? {}
    const start = text.length - text.trimStart().length
    return text.trim() !== '' && marked({ marks }, 'inverse', start, text.trimEnd().length)
  }
  if (!lit(row)) return null
  const filled = (at: number): boolean => (rows[at]?.text.trim() ?? '') !== ''
  let first = row
  let last = row
  while (first > 0 && filled(first - 1) && !/[?:]\s*$/.test(rows[first - 1]?.text ?? '')) first -= 1
  while (last + 1 < rows.length && filled(last + 1)) last += 1
  const block = rows.slice(first, last + 1)
  if (block.length < 2 || block.length > 20 || block.some((each) => each.row !== row && lit(each.row))) return null
  const above = questionAbove(rows, first)
  if (above.question === '') return null
  return {
    ...above,
    options: block.map((each) => ({ key: null, label: oneLine(each.text), selected: each.row === row })),
    last,
  }
}

/** A long entry goes on below, deeper than its mark. */
const goesOn = (text: string, belongs: (text: string) => boolean): boolean =>
  belongs(text) || (/^\s{3,}\S/.test(text) && !hint.test(text))

function optionOf(view: View, { text, row }: Row, column: number, isRadio: boolean): Option[] {
  const found = radio.exec(text) ?? pointer.exec(text)
  const indent = /^\s*/.exec(text)?.[0].length ?? 0
  if (found === null && (isRadio || Math.abs(indent - column) > 1)) return []
  const label = oneLine(found === null ? text : text.slice(found[0].length))
  const numbered = /^([\w]{1,2})[.):]\s+(\S.*)$/.exec(label)
  const pointed =
    /^\s*[❯›▸▶►➤→»>]/u.test(text) || marked(view.screen.lines[row] ?? { marks: [] }, 'inverse', indent, 999)
  const selected = pointed || (isRadio && chosen.test(found?.[2] ?? ''))
  return [{ key: numbered?.[1] ?? null, label: numbered?.[2] ?? label, selected }]
}

/** How to go through the list is no part of what is asked. */
const withoutHint = (question: string): string => /^(\?\s.*?\s›) - \S/u.exec(question)?.[1] ?? question

function questionAbove(rows: readonly Row[], first: number): { question: string; first: number } {
  let row = first - 1
  let skipped = 0
  for (; row >= 0 && skipped < 4; row -= 1) {
    const text = rows[row]?.text ?? ''
    if (text.trim() === '' || isDrawing(text) || (hint.test(text) && !/[?:]/.test(text))) skipped += 1
    else break
  }
  if (row < 0 || skipped >= 4) return { question: '', first }
  const top = markedRow(rows, row) ?? row
  const whole = row - top <= 2 ? row : top
  const joined = rows.slice(top, whole + 1).map(({ text }) => text)
  return { question: withoutHint(oneLine(joined.join(' '))), first: top }
}

/** The row with the library's mark: long questions are broken over rows, and instructions may follow. */
function markedRow(rows: readonly Row[], row: number): number | undefined {
  for (let above = row; above >= 0 && above > row - 9; above -= 1) {
    const text = rows[above]?.text.trim() ?? ''
    if (text === '') return undefined
    if (questionMark.test(text)) return above
  }
  return undefined
}
