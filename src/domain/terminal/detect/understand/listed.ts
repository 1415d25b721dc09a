import type { Option } from './options.ts'
import { commandOn, isAnswered } from './own-lines.ts'
import { plainLine } from './question.ts'

const numbered = /^\s*[*❯>»•-]?\s*[[(]?(\d{1,3})(?:[.):\]]+\s+|\s{2,}|\s+\/\s+|\s+[-=>]\s+|\s(?=[\p{L}"“/]))(\S.*)$/u
const lettered = /^\s*[*❯>»•-]?\s*[[(]?([A-Za-z?!])(?:[):\]]+\s+|\s{2,}|\s+[-=:]\s+|\.\s+)(\S.*)$/u
/** `[breeze   ] The Breeze kit` */
const worded = /^\s*\[([a-z][\w-]{1,20})\s*\]\s+(\S.*)$/u
/** `list   List disk information` */
const keyword = /^\s*([a-z]{2,6}|\?\?)\s{3,}(\p{Lu}\S* .*)$/u
/** `e(x)it without saving` */
const inWord = /^\s*(\p{L}{0,10})[[(](\p{L})[\])](\p{L}+.*)$/u
/** `Use 'd' to delete it` */
const ordered = /^\s*(?:use|press|type|enter|hit)\s+['"<[(‘“]?(\w{1,2})['">\])’”]?\s+(?:to|for)\s+(\S.*)$/iu
const pairLine = /^\s*([A-Z])(?:\s+or\s+([A-Z]))?\s+:\s+(\S.*)$/u

const clean = (label: string): string => label.replaceAll(/\s+/gu, ' ').trim()
const isDefault = (line: string): boolean =>
  /^\s*\*\s/u.test(line) ||
  /\((?:default|recommended|current|standard|par défaut|predeterminad[oa]|默认|既定)\)/iu.test(line)

/** Items next to each other in columns. */
const columns = (line: string): string[] =>
  line.split(/\s{2,}(?=[[(]?\d{1,3}[.):\]])/u).filter((part) => part.trim() !== '')

/** An entry of a list; null if the line is not one. */
export const itemOf = (part: string): Option | null => {
  const pair = pairLine.exec(part)
  if (pair !== null) return { key: pair[1] ?? '', label: clean(pair[3] ?? ''), isDefault: isDefault(part) }
  const within = inWord.exec(part)
  if (within !== null) {
    const [, head = '', key = '', tail = ''] = within
    return { key, label: clean(head + key + tail), isDefault: isDefault(part) }
  }
  const match =
    ordered.exec(part) ?? numbered.exec(part) ?? lettered.exec(part) ?? worded.exec(part) ?? keyword.exec(part)
  if (match === null || !/\p{L}/u.test(match[2] ?? '')) return null
  return { key: match[1] ?? '', label: clean(match[2] ?? ''), isDefault: isDefault(part) }
}

/** A filled-in field: `Server mode: 2`. */
const filled = /^(?!.*\boptions?:)\S[^:]{2,60}(?::|(?<=^[\p{L} ]{2,30})>)\s\S{1,24}$/u

/** Headings inside a long list: ` Suggest:` */
const heading = /^\s?\p{L}[\p{L} ]{1,30}:$/u

const gapAllowed = 3

/** A list, and the number of text lines between it and the question. */
export type Listed = {
  options: readonly Option[]
  distance: number
  /** Its entries are sentences: steps to follow rather than answers. */
  prose: boolean
}

/** The list right above a question: `1) staging`, `y) Yes`, `p   primary`, in columns or with continuation lines. */
export const listedOptions = (above: readonly string[]): Listed => {
  const found: Option[] = []
  let gap = 0
  let distance = 0
  for (const line of above.toReversed()) {
    const raw = line.replaceAll(/[\u2500-\u257f]/gu, ' ')
    const items = columns(raw).map(itemOf)
    if (items.length > 0 && items.every((item) => item !== null)) {
      found.unshift(...items.filter((item) => item !== null))
      gap = 0
      continue
    }
    if (isAnswered(raw) || commandOn(raw) !== null || filled.test(raw)) break
    const text = plainLine(raw)
    // An earlier question, answered with Enter alone.
    if (found.length === 0 && /\S\s?[\])]\s?:$/u.test(text)) break
    if (found.length === 0 && text !== '') distance += 1
    gap += text === '' ? 0.5 : 1
    if (gap > gapAllowed || (found.length > 0 && !/^\s{2,}|^$/u.test(raw) && !heading.test(raw))) break
  }
  const keys = new Set(found.map((option) => option.key))
  const sentences = found.filter((option) => /\p{Ll}{2}[.!]$/u.test(option.label)).length
  // A single entry counts as a list only if it is numbered 1.
  const listed = (keys.size >= 2 || found[0]?.key === '1') && inOrder(found)
  return { options: listed ? byNumber(found) : [], distance, prose: sentences >= found.length / 2 }
}

/** List numbers start at 0 or 1, or are consecutive; numbers at the start of log lines rarely are. */
const inOrder = (found: readonly Option[]): boolean => {
  const numbers = found.map((option) => Number(option.key)).filter((value) => Number.isInteger(value))
  if (numbers.length < found.length) return true
  const sorted = numbers.toSorted((one, two) => one - two)
  return (sorted[0] ?? 9) <= 1 || (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) === sorted.length - 1
}

/** Columns are read row by row, so entries are sorted by number. */
const byNumber = (found: readonly Option[]): Option[] =>
  found.every((option) => /^\d+$/u.test(option.key))
    ? found.toSorted((one, two) => Number(one.key) - Number(two.key))
    : [...found]
