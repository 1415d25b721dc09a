import type { Choice } from './verdict.ts'
import { isNo, isYes } from './detect/understand/words/yes-no.ts'

/** An entry of a menu as it is drawn now. */
export type DrawnEntry = {
  readonly label: string
  readonly row: number
  /** The arrow keys have brought the mark here. */
  readonly pointed: boolean
  /** Null if it has no box to tick. */
  readonly ticked: boolean | null
}

const box = /([◻◼☐☑☒◯◉⬡⬢]|\[[ xX*✔✓]?\]|\([ xX*•o]?\))\s*$/u
const full = /[◼☑☒◉⬢]|\[[xX*✔✓]\]|\([xX*•o]\)/u
const pointer = /^[\s│┃║|]*[❯›▸▶►➤→»‣➜➔⇒▷⮞>]/u

/** The choices of a prompt, found on the screen. Empty if one of them can't be found. */
export function drawnEntries(rows: readonly string[], choices: readonly Choice[]): DrawnEntry[] {
  const entries: DrawnEntry[] = []
  let from = 0
  for (const { label, selected } of choices) {
    const found = entryAt(rows, label, from)
    if (found === null) return []
    const { row, before } = found
    const mark = box.exec(before)?.[1]
    entries.push({
      label,
      row,
      pointed: mark === undefined ? selected : pointer.test(before),
      ticked: mark === undefined ? null : full.test(mark),
    })
    from = row
  }
  return entries
}

function entryAt(rows: readonly string[], label: string, from: number): { row: number; before: string } | null {
  for (let row = from; row < rows.length; row += 1) {
    const text = rows[row] ?? ''
    const at = text.indexOf(label)
    // Only marks and frames come before an entry, or other entries beside it.
    if (at !== -1) return { row, before: text.slice(0, at) }
  }
  return null
}

/** Side by side: chosen with the left and right keys. */
export const isInOneRow = (entries: readonly DrawnEntry[]): boolean =>
  entries.length > 1 && entries.every(({ row }) => row === entries[0]?.row)

/** Which choice the text means; null if none, or several. */
export function choiceMeant(choices: readonly Choice[], text: string): Choice | null {
  const wanted = plain(text)
  if (wanted === '') return null
  const tests: ((choice: Choice) => boolean)[] = [
    ({ label, key }) => plain(label) === wanted || plain(key) === wanted,
    ({ label }) => withoutNumber(plain(label)) === wanted,
    ({ label }) => withoutHint(plain(label)) === wanted,
    ({ label }) => (isYes(wanted) && isYes(firstWord(label))) || (isNo(wanted) && isNo(firstWord(label))),
    ({ label }) => wanted.length > 2 && plain(label).startsWith(wanted),
  ]
  for (const test of tests) {
    const found = choices.filter(test)
    if (found.length === 1) return found[0] ?? null
    if (found.length > 1) return null
  }
  return null
}

/** The choices in a list such as `red, blue`; null if one of them is not there. */
export function choicesMeant(choices: readonly Choice[], text: string): readonly Choice[] | null {
  const one = choiceMeant(choices, text)
  if (one) return [one]
  const found = text.split(',').map((part) => choiceMeant(choices, part))
  return found.every((choice) => choice !== null) ? found : null
}

const plain = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim().toLowerCase()
const withoutNumber = (label: string): string => label.replace(/^\w{1,2}[.):]\s+/u, '')
const withoutHint = (label: string): string => withoutNumber(label).split(/ [([]/u)[0] ?? ''
const firstWord = (label: string): string => label.trim().split(/[\s,.;:(]/u)[0] ?? ''
