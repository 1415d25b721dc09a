import { isDrawing, oneLine, question as questionMark, withoutBorders } from '../text/strip.ts'
import { marked, type View } from '../text/view.ts'
import { hint, questionAbove, unwrapped, type MenuRow } from './menu-question.ts'

export type MenuOption = { key: string | null; label: string; selected: boolean }
export type Menu = {
  /** The question above the list; empty if there is none. */
  question: string
  options: MenuOption[]
  /** The screen rows of the question and its list. */
  first: number
  last: number
}

const pointer = /^(\s*)(?:[❯›▸▶►➤→»‣➜➔⇒▷⮞]\s*|(?:>|-{1,2}>|=>|\*)\s+)(?=\S)/u
const radio =
  /^(\s*)(?:[❯›▸▶►➤→»‣➜>]\s*|[└├│╰]\s)?(●|◉|◯|○|◻|◼|☐|☑|☒|⬡|⬢|⊙|\( ?\)|\([*xX•o]\)|\[ ?\]|\[[xX*✔✓]\])\s+(?=\S)/u
const chosen = /●|◉|◼|☑|☒|⬢|⊙|\([*xX•o]\)|\[[xX*✔✓]\]/u
const inline = /^\s*(●|○|◉|◯)\s+(\S.*?)\s+(?:\/\s+)?(●|○|◉|◯)\s+(\S.*)$/u
/** A picker counts what is left of its list: `4/4 (0) ───`. */
const counted = /^\s*\d+\/\d+(?:\s+\(\d+\))?[\s─]*$/u
/** A list drawn for choosing with keys. */
export function findMenu(view: View): Menu | null {
  const rows = view.screen.lines.map(({ text, wrapped }, row) => ({ text: withoutBorders(text), row, wrapped }))
  const end = rows.findLastIndex(({ text }) => text.trim() !== '' && !isDrawing(text))
  for (let row = end; row >= 0 && row > end - 30; row -= 1) {
    const found =
      toggleOf(view, rows[row] ?? { text: '', row, wrapped: false }) ??
      (isTypedIn(view, row) ? null : (inlineMenu(rows, row) ?? listMenu(view, rows, row) ?? litMenu(view, rows, row)))
    if (found === null) continue
    const below = rows.slice(found.last + 1, end + 1).filter(({ text }) => text.trim() !== '' && !isDrawing(text))
    if (below.length > 6 || (below.length > 3 && !below.some(({ text }) => hint.test(text)))) return null
    return found
  }
  return unmarkedMenu(view, rows, end)
}

/** A library's list whose selected entry differs only in colour. */
function unmarkedMenu({ screen }: View, rows: readonly MenuRow[], end: number): Menu | null {
  const top = rows.findLastIndex(
    ({ text }) => questionMark.test(text.trim()) && /\((?:use|press)[^)]*arrow/iu.test(text),
  )
  const block = rows.slice(top + 1, end + 1)
  if (top === -1 || !screen.cursor.hidden || block.length < 2 || block.some(({ text }) => !/^\s{2,}\S/u.test(text)))
    return null
  const options = block.map(({ text }) => ({ key: null, label: oneLine(text), selected: false }))
  return { question: oneLine(rows[top]?.text ?? ''), options, first: top, last: end }
}

/** A search line begins like a selected entry. */
const isTypedIn = ({ screen: { cursor }, before, after }: View, row: number): boolean =>
  row === cursor.row && !cursor.hidden && after.trim() === '' && /\S/.test(before)

const toggle = /^(\?\s.*?)\s+[›‣]\s+(\S[^/]{0,24}?)\s+\/\s+(\S[^/]{0,24})$/u

/** Two answers beside the question; the selected one is underlined. */
function toggleOf(view: View, { text, row }: MenuRow): Menu | null {
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

/** The lines right below a library's question are its choices, however they are marked. */
export function listBelow(view: View): MenuOption[] | null {
  const { lines, cursor } = view.screen
  const keyed = keyedBelow(view.screen)
  if (keyed.length >= 3) return keyed
  // A question may span rows.
  const rows = [lines[cursor.row], lines[cursor.row - 1]].map((line) => line?.text.trim() ?? '')
  const asked = rows.find((text) => questionMark.test(text)) ?? rows[0] ?? ''
  const count = lines[cursor.row + 1]?.text ?? ''
  const below = lines.slice(cursor.row + (counted.test(count) ? 2 : 1))
  // A picker draws its list under the search prompt and highlights the best match.
  const lit = below.findIndex(({ text, marks }) => text.trim() !== '' && marked({ marks }, 'inverse', 0, 1))
  const finder = view.screen.alternate && cursor.row === 0 && /^\p{L}{2,10}>(?:\s|$)/u.test(asked)
  const picker = !cursor.hidden && (finder || (/^[>❯›:](?:\s|$)/u.test(asked) && lit === 0))
  if (!questionMark.test(asked) && !picker) return null
  const end = below.findIndex(({ text }) => text.trim() === '' || isDrawing(text) || hint.test(text))
  const entries = end === -1 ? below : below.slice(0, end)
  if (entries.length < 2) return null
  return entries.map(({ text, marks }) => ({
    key: null,
    label: oneLine(text.replace(/^\s*[^\p{L}\p{N}\s]\s+/u, '')),
    selected: marks.some(({ kind }) => kind === 'underline' || kind === 'inverse'),
  }))
}

/** `b  Browse the persons`: keys and their actions, in the same box right below the question. */
function keyedBelow({ lines, cursor }: View['screen']): MenuOption[] {
  const start = /[^│┃║]*$/u.exec((lines[cursor.row]?.text ?? '').slice(0, cursor.col))?.index ?? 0
  const options: MenuOption[] = []
  for (const { text } of lines.slice(cursor.row + 1)) {
    const found = /^\s{1,8}([^\s\u2500-\u257f])\s{2,4}(\p{Lu}[^│┃║]+)/u.exec(text.slice(start))
    if (found === null) break
    options.push({ key: found[1] ?? '', label: oneLine(found[2] ?? ''), selected: false })
  }
  return options
}

function inlineMenu(rows: readonly MenuRow[], row: number): Menu | null {
  const found = inline.exec(rows[row]?.text ?? '')
  if (found === null) return null
  const [, firstMark = '', first = '', secondMark = '', second = ''] = found
  const options = [
    { key: null, label: first, selected: chosen.test(firstMark) },
    { key: null, label: second, selected: chosen.test(secondMark) },
  ]
  return { ...questionAbove(rows, row), options, last: row }
}

function listMenu(view: View, rows: readonly MenuRow[], row: number): Menu | null {
  const text = rows[row]?.text ?? ''
  const found = radio.exec(text) ?? pointer.exec(text)
  if (found === null) return null
  // `● 1. Yes` above `2. No`: the mark is a pointer, not a radio button.
  const points = [row - 1, row + 1].some((next) => /^\s*\d+[.)]\s/u.test(rows[next]?.text ?? ''))
  const isRadio = radio.test(text) && !(points && /^\d+[.)]\s/u.test(text.slice(found[0].length)))
  const column = found[0].length
  const belongs = (other: string): boolean => {
    if (radio.test(other)) return true
    if (isRadio || counted.test(other)) return false
    const indent = /^\s*/.exec(other)?.[0].length ?? 0
    return other.trim() !== '' && Math.abs(indent - column) <= 1 && !hint.test(other)
  }
  let first = row
  let last = row
  while (first > 0 && belongs(rows[first - 1]?.text ?? '') && !isOfQuestion(rows, first - 1)) first -= 1
  while (last + 1 < rows.length && goesOn(rows[last + 1]?.text ?? '', belongs)) last += 1
  const block = rows.slice(first, last + 1).filter(({ text: line }) => line.trim() !== '')
  const pointed = block.filter(({ text: line }) => (isRadio ? false : radio.test(line) || pointer.test(line)))
  const single =
    block.length === 1 &&
    questionMark.test(rows[first - 1]?.text.trim() ?? '') &&
    rows.slice(last + 1, last + 4).some(({ text: below }) => hint.test(below))
  if ((block.length < 2 && !single) || (!isRadio && pointed.length !== 1)) return null
  const options = block.flatMap((line) => optionOf(view, line, column, isRadio))
  if (options.length < 2 && !single) return null
  return { ...questionAbove(rows, first), options, last }
}

/** A row of a library's question, which the terminal may have wrapped. */
const isOfQuestion = (rows: readonly MenuRow[], row: number): boolean =>
  questionMark.test(rows[unwrapped(rows, row)]?.text.trim() ?? '')

/** A long entry continues below, indented deeper than its mark. */
const goesOn = (text: string, belongs: (text: string) => boolean): boolean =>
  belongs(text) || (/^\s{3,}\S/.test(text) && !hint.test(text))

function optionOf(view: View, { text, row }: MenuRow, column: number, isRadio: boolean): MenuOption[] {
  const found = radio.exec(text) ?? pointer.exec(text)
  const indent = /^\s*/.exec(text)?.[0].length ?? 0
  if (found === null && (isRadio || Math.abs(indent - column) > 1)) return []
  const label = oneLine(found === null ? text : text.slice(found[0].length))
  const numbered = /^([\w]{1,2})[.):]\s+(\S.*)$/.exec(label)
  const pointed =
    /^\s*[❯›▸▶►➤→»‣➜➔⇒▷⮞>]/u.test(text) || marked(view.screen.lines[row] ?? { marks: [] }, 'inverse', indent, 999)
  const selected = pointed || (isRadio && chosen.test(found?.[2] ?? ''))
  return [{ key: numbered?.[1] ?? null, label: numbered?.[2] ?? label, selected }]
}

/** A list whose selected entry is only highlighted: lines below each other, or words side by side. */
const litMenu = (view: View, rows: readonly MenuRow[], row: number): Menu | null =>
  litLines(view, rows, row) ?? litWords(view, rows, row)

/** The highlighted line has the cursor, or the cursor is hidden near it. */
function litLines({ screen }: View, rows: readonly MenuRow[], row: number): Menu | null {
  const { cursor, lines, alternate } = screen
  const near = cursor.hidden ? Math.abs(cursor.row - row) <= 20 : cursor.row === row
  const boxed = cursor.hidden && /^\s*[|│┃║].*[|│┃║]$/u.test((lines[row]?.text ?? '').trimEnd())
  if (alternate || !near || (cursor.col > 2 && !boxed)) return null
  const lit = (at: number): boolean => {
    const { text = '', marks = [] } = lines[at] ?? {}
    const start = text.length - text.trimStart().length
    // A single inverse cell is a drawn cursor.
    const shown = marks.filter(({ from, to }) => !cursor.hidden || to - from > 1)
    return text.trim() !== '' && marked({ marks: shown }, 'inverse', start, text.trimEnd().length)
  }
  if (!lit(row)) return null
  const filled = (at: number): boolean => !/^\s*(?:[+┌╭└╰].*)?$/u.test(rows[at]?.text ?? '')
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

/** One of the words in the cursor's row is highlighted, and the cursor is hidden. */
function litWords({ screen }: View, rows: readonly MenuRow[], row: number): Menu | null {
  const { cursor, lines, alternate } = screen
  const text = (rows[row]?.text ?? '').trimEnd()
  const marks = (lines[row]?.marks ?? []).filter(({ kind }) => kind === 'inverse')
  const [mark] = marks
  if (alternate || !cursor.hidden || cursor.row !== row || marks.length !== 1 || mark === undefined) return null
  const words = [...text.matchAll(/\S {2,}\S/.test(text) ? /\S+(?: \S+)*/gu : /\S+/gu)]
  const isLit = ({ index, 0: word }: RegExpExecArray): boolean => mark.from <= index && mark.to >= index + word.length
  const above = questionAbove(rows, row)
  if (words.length < 2 || words.filter(isLit).length !== 1 || above.question === '') return null
  return { ...above, options: words.map((word) => ({ key: null, label: word[0], selected: isLit(word) })), last: row }
}
