import { isDrawing, oneLine } from '../text/strip.ts'
import { marked, type View } from '../text/view.ts'
import { boxesOf, contains, titleOf, type Box } from '../text/box.ts'
import type { MenuOption } from './menu.ts'

export type Dialog = {
  question: string
  options: MenuOption[]
  holdsCursor: boolean
  /** It shows progress. */
  progress: boolean
}

type Inside = { text: string; row: number; raw: string }
const item = /^\s*(?:\([ *xX•]\)|\[[ *xX]\])?\s*(\S.*)$/u
/** At the ends of a scroll bar. */
const scrollArrow = /\s{2,}[\^v▲▼↑↓]\s*$/u
const tick = /^\s*(?:\([ *xX•]\)|\[[ *xX]\])\s/u

/** A box with buttons, as dialog, whiptail and full-screen programs draw it. */
export function findDialog(view: View): Dialog | null {
  const { cursor } = view.screen
  const boxes = boxesOf(view.screen)
  const found = boxes.flatMap((box) => {
    const bar = barOf(view, box)
    return bar === null ? [] : [{ box, ...bar }]
  })
  // The box with the cursor is on top; otherwise the innermost one.
  const shown = found.findLast(({ box }) => contains(box, cursor.row, cursor.col)) ?? found.at(-1)
  if (shown === undefined) return plainBox(view, boxes)
  const { box, row: bar, buttons } = shown
  const inside = insideOf(view, box).filter(({ row }) => row < bar)
  const words = inside.filter(({ text }) => text.trim() !== '' && !isDrawing(text))
  const first = words[0]
  if (first === undefined) return null
  const body = untilWidget(inside, cursor.row)
  const label = onCursorRow(view, box) ?? overCursorRow(view, box, inside)
  const question = label ?? titled(view, box, body.length > 0 ? body : [first])
  const items = words
    .filter(({ row }) => row > (body.at(-1)?.row ?? 0))
    .map(({ text, row }) => ({
      key: null,
      label: oneLine((item.exec(text)?.[1] ?? text).replace(scrollArrow, '')),
      selected: row === cursor.row || /^\s*(?:\([*xX•]\)|\[[*xX]\])/u.test(text),
    }))
  const hasField =
    inside.some(({ text }) => /_{4,}/.test(text)) ||
    overCursorRow(view, box, inside) !== null ||
    isInField(view, box, inside) ||
    (!cursor.hidden && boxes.some((inner) => inner.bottom === inner.top + 2 && contains(inner, cursor.row, cursor.col)))
  const progress = !question.endsWith('?') && words.some(({ text }) => /(?:^|\s)\d{1,3}\s?%|[█▓▒]{3}/u.test(text))
  const holdsCursor = cursor.hidden || contains(box, cursor.row, cursor.col)
  const typed = hasField && !cursor.hidden && contains(box, cursor.row, cursor.col) && cursor.row !== bar
  const options = items.length > 0 && !hasField ? items : typed ? [] : choices(view, box, bar, buttons)
  return { question, options, holdsCursor, progress }
}

/** A small box over the text with a question and its keys, but no buttons. */
function plainBox(view: View, boxes: readonly Box[]): Dialog | null {
  if (!view.screen.alternate) return null
  for (const box of boxes.toReversed()) {
    const words = insideOf(view, box).filter(({ text }) => text.trim() !== '')
    const asked = words.find(({ text }) => /\?\s*(?:$|[[(])/u.test(text))
    if (words.length <= 4 && asked !== undefined && words.some(({ text }) => keys.test(text)))
      return { question: oneLine(asked.text), options: [], holdsCursor: true, progress: false }
  }
  return null
}

const keys =
  /(?<![\p{L}])(?:press|hit|type) ['"<[(‘“]?\S{1,6}['">\])’”]? (?:to|for)(?![\p{L}])|[[(]y(?:es)?[/|]no?[\])]/iu

function insideOf({ screen: { lines } }: View, { top, bottom, left, right }: Box): Inside[] {
  return lines.slice(top + 1, bottom).map(({ text }, index) => {
    const raw = text.slice(left + 1, right)
    return { text: raw.replaceAll(/[│┃║]/gu, ' '), row: top + 1 + index, raw }
  })
}

/** Some buttons have a shadow to their right and below. */
const shadow = /(?<=\s)[▄_](?=\s|$)/gu
const isShadow = (text: string): boolean => /^[\s^▀]+$/u.test(text)

/** The last row of the box that contains only buttons. */
function barOf(view: View, box: Box): { row: number; buttons: Button[] } | null {
  for (const { text, row } of insideOf(view, box).toReversed()) {
    if (text.trim() === '' || isDrawing(text) || isShadow(text)) continue
    const line = view.screen.lines[row]
    const lit = (from: number, to: number): boolean =>
      line !== undefined && marked(line, 'inverse', box.left + 1 + from, box.left + 1 + to)
    const cursor = view.screen.cursor.row === row ? view.screen.cursor.col - box.left - 1 : -1
    const buttons = buttonsOf(text.replaceAll(shadow, ' '), lit, cursor)
    return buttons.length > 0 ? { row, buttons } : null
  }
  return null
}

/** The text of the box ends where its list or field begins. */
function untilWidget(inside: readonly Inside[], cursorRow: number): Inside[] {
  const body: Inside[] = []
  for (const line of inside) {
    if (body.length > 0 && (/[┌┬╭]/u.test(line.raw) || /_{4,}/.test(line.text))) break
    if (tick.test(line.text)) break
    if (line.row === cursorRow && body.length > 0) return withoutList(body, line)
    if (line.text.trim() !== '' && !isDrawing(line.text)) body.push(line)
  }
  return body
}

/** Rows right above the pointed entry that begin in its column are entries too, if the question begins further left. */
function withoutList(body: readonly Inside[], pointed: Inside): Inside[] {
  const start = ({ text }: Inside): number => text.length - text.trimStart().length
  const asked = body.filter((line, at) => {
    const isBeside = body.length - at === pointed.row - line.row
    return !isBeside || start(line) !== start(pointed)
  })
  const [first] = asked
  return first !== undefined && start(first) < start(pointed) ? asked : [...body]
}

/** The sentence that asks; if there is none, the first line. */
function questionOf(body: readonly Inside[]): string {
  const asks = body.findLastIndex(({ text }) => /[?:？：]\s*$/u.test(text))
  if (asks <= 0) return oneLine(body[0]?.text ?? '')
  // A sentence that began on the row above is joined.
  const asked = body[asks]?.text.trim() ?? ''
  const above = body[asks - 1]
  const goesOn =
    above?.row === (body[asks]?.row ?? 0) - 1 && /^[\p{Ll}"'‘“«]/u.test(asked) && !/[.:?!]\s*$/.test(above.text)
  return oneLine(goesOn ? `${above.text} ${asked}` : asked)
}

/** A field with its label beside it. */
function onCursorRow(view: View, box: Box): string | null {
  const { cursor, lines } = view.screen
  if (cursor.hidden || !contains(box, cursor.row, cursor.col)) return null
  const before = (lines[cursor.row]?.text ?? '').slice(box.left + 1, cursor.col)
  return /\p{L}.*[:?]\s*\S*$/u.test(before) && !/[│┃║<[]/u.test(before)
    ? oneLine(/^.*[:?]/u.exec(before)?.[0] ?? before)
    : null
}

/** One of several fields, with its label on the row above. */
function overCursorRow({ screen: { cursor } }: View, box: Box, inside: readonly Inside[]): string | null {
  if (cursor.hidden || !contains(box, cursor.row, cursor.col)) return null
  const fields = inside.filter(({ text }) => /^\s?\p{L}[^:?]{0,60}:\s*$/u.test(text))
  const name = fields.find(({ row }) => row === cursor.row - 1)
  return name === undefined || fields.length < 2 ? null : oneLine(name.text)
}

/** An empty row, or a single row between the label of the field and the line above the buttons. */
function isInField({ screen: { cursor } }: View, box: Box, inside: readonly Inside[]): boolean {
  if (cursor.hidden || !contains(box, cursor.row, cursor.col)) return false
  const at = inside.findIndex(({ row }) => row === cursor.row)
  const below = inside[at + 1]?.text ?? ''
  if (inside[at]?.text.trim() === '') return true
  return /\p{L}:\s*$/u.test(inside[at - 1]?.text ?? '') && !tick.test(inside[at]?.text ?? '') && isDrawing(below)
}

const orders = /^\s*(?:please )?(?:enter|type|select|choose|specify|provide|input)(?!\p{L})/iu

/** The consecutive lines from here on. */
function paragraph(body: readonly Inside[], from: number): string {
  const lines: string[] = []
  for (let row = from; ; row += 1) {
    const line = body.find((each) => each.row === row)
    if (line === undefined) return oneLine(lines.join(' '))
    lines.push(line.text)
  }
}

/** The heading of a list says less than the title of the box. */
function titled({ screen }: View, box: Box, body: readonly Inside[]): string {
  const question = questionOf(body)
  const title = titleOf(screen, box)
  const words = (text: string): number => text.split(' ').length
  // If the text only explains and nothing asks, the title names the topic.
  if (title !== '' && body.length >= 3 && !/[?:？：]$/u.test(question) && body.at(-1)?.row !== body[0]?.row) {
    const order = body.findLast(({ text, row }) => orders.test(text) && !body.some((each) => each.row === row - 1))
    if (order !== undefined) return paragraph(body, order.row)
    if (body.every(({ text }) => !/[?？]/u.test(text))) return title
  }
  if (/^(?:enter|type|select|choose|pick|input|specify)\s/iu.test(question)) return question
  return !/[?:.？：。]$/u.test(question) && words(question) <= 2 && words(title) > words(question) ? title : question
}

function choices(view: View, { left }: Box, row: number, buttons: readonly Button[]): MenuOption[] {
  const { cursor } = view.screen
  const column = cursor.row === row ? cursor.col - left - 1 : -1
  return buttons.map(({ label, from, width, lit }) => ({
    key: null,
    label,
    selected: buttons.length === 1 || lit || (column >= from && column < from + width),
  }))
}

type Button = { label: string; from: number; width: number; lit: boolean }

const framed =
  /\((?:esc|enter|f\d{1,2}|tab)\) (\p{L}+(?: \p{L}+){0,3})|\[?<\s*([^\s<>|][^<>|]{0,22}?)\s*>\]?|\[\s+([^\s[\]][^[\]]{0,22}?)\s+\]/giu
/** `Enter [y]es or [n]o` */
const lettered = /(?<!\S)([[(]\p{L}[\])]\p{L}+)(?!\S)/gu
/** `<Y for yes, N for no>` */
const told =
  /^[<[(\s]*(?:press )?([yn])\s?(?:for|=|:)\s?(\p{L}+)[^<>[\]]*?(?<![\p{L}])([yn])\s?(?:for|=|:)\s?(\p{L}+)/iu
const bare = /\S+(?: \S+)*/gu

/**
 * The buttons of a row that contains nothing else. Words without a frame count if one of them is highlighted. `lit`:
 * whether columns are highlighted; `cursor`: its column in the row, -1 if it is elsewhere.
 */
function buttonsOf(text: string, lit: (from: number, to: number) => boolean, cursor: number): Button[] {
  const found = [...text.matchAll(framed)]
  const take = (matches: readonly RegExpExecArray[]): Button[] =>
    matches.map((match) => {
      const { 0: whole, 1: named, 2: angle, 3: square, index: from } = match
      const label = (named ?? angle ?? square ?? whole).replace(/^[[(](\p{L})[\])](?=\p{L})/u, '$1')
      return { label, from, width: whole.length, lit: lit(from, from + whole.length) }
    })
  const words = told.exec(text.trim())
  if (words !== null) return [2, 4].map((at) => ({ label: words[at] ?? '', from: 0, width: 0, lit: false }))
  const keys = [...text.matchAll(lettered)]
  if (keys.length >= 2) return take(keys)
  if (found.length > 0) return text.replaceAll(framed, '').trim() === '' ? take(found) : []
  if (/^(?:ok|okay|continue)$/iu.test(text.trim())) return take([...text.matchAll(bare)])
  const plain = take([...text.matchAll(bare)])
  const apart = plain.length >= 2 && plain.every(({ label }) => label.length <= 24) && /\S {2,}\S/.test(text)
  const known = plain.filter(({ label }) => isButton(label))
  if (apart && known.length >= 2 && known.length >= plain.length - 1 && plain.length <= 4) return plain
  const chosen = plain.filter((word) => word.lit || (cursor >= word.from && cursor < word.from + word.width))
  return apart && chosen.length === 1 && plain.length <= 5 ? plain : []
}

const button =
  /^(?:yes|no|ok|okay|cancel|continue|abort|accept|reject|decline|confirm|proceed|retry|ignore|delete|keep|save|discard|overwrite|back|next|quit|exit|allow|deny|ja|nein|abbrechen|weiter|oui|non|annuler|continuer|sí|si|cancelar|aceptar|continuar|sì|annulla|conferma|sim|não|nee|annuleren|doorgaan|tak|nie|anuluj|да|нет|отмена|是|否|取消|确定|確定|继续|はい|いいえ|キャンセル|예|아니오|취소)[.!]?$/iu

/** Whether a label is a usual button text, in many languages. */
export const isButton = (label: string): boolean => button.test(label)
