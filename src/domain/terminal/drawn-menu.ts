import { isFaint, lookOf, oddOne, type Looks } from './looks.ts'
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

/** Rows and how they are drawn. `cursorRow`: null if it is hidden. */
export type DrawnScreen = {
  readonly rows: readonly string[]
  readonly looks: Looks
  readonly cursorRow: number | null
}

const box = /([◻◼☐☑☒◯◉⬡⬢]|\[[ xX*✔✓]?\]|\([ xX*•o]?\))\s*$/u
const full = /[◼☑☒◉⬢]|\[[xX*✔✓]\]|\([xX*•o]\)/u
/** Drawn before each entry, faint before those that are not ticked. */
const check = /([✔✓])\s*$/u
const pointer = /^[\s│┃║|]*[❯›▸▶►➤→»‣➜➔⇒▷⮞>]/u

type Place = { row: number; before: string; from: number; to: number }

/** The choices of a prompt, found on the screen. Empty if one of them can't be found. */
export function drawnEntries(screen: DrawnScreen, choices: readonly Choice[]): DrawnEntry[] {
  const places = placesOf(screen.rows, choices, true) ?? placesOf(screen.rows, choices, false)
  if (places === null) return []
  const marks = places.map(({ before }) => box.exec(before))
  const checks = places.map(({ before }) => check.exec(before))
  const areChecked = checks.every((found) => found !== null)
  const pointed = places.map(({ before }, at) =>
    marks[at]?.[1] !== undefined || areChecked ? pointer.test(before) : choices[at]?.selected === true,
  )
  const shownAt = pointed.includes(true) ? -1 : placeShown(screen, places, marks)
  return places.map(({ row }, at): DrawnEntry => {
    const mark = marks[at]?.[1]
    const ticked = mark === undefined ? null : full.test(mark)
    return {
      label: choices[at]?.label ?? '',
      row,
      pointed: pointed[at] === true || at === shownAt,
      ticked: areChecked ? !isFaint(screen.looks, row, checks[at]?.index ?? 0) : ticked,
    }
  })
}

/** Where the mark is, if only the cursor or the way it is drawn tells; -1 if neither does. */
function placeShown(
  { looks, cursorRow }: DrawnScreen,
  places: readonly Place[],
  marks: readonly (RegExpExecArray | null)[],
): number {
  const withCursor = places.flatMap(({ row }, at) => (row === cursorRow ? [at] : []))
  if (withCursor.length === 1) return withCursor[0] ?? -1
  const label = oddOne(places.map(({ row, from, to }) => lookOf(looks, row, from, to)))
  if (label !== -1) return label
  return oddOne(places.map(({ row, from }, at) => lookOf(looks, row, marks[at]?.index ?? from, from)))
}

/** `strict`: only marks and frames come before an entry. Otherwise other entries may be beside it. */
function placesOf(rows: readonly string[], choices: readonly Choice[], strict: boolean): Place[] | null {
  const places: Place[] = []
  let from = 0
  for (const { label } of choices) {
    const found = placeOf(rows, label, from, strict)
    if (found === null) return null
    places.push(found)
    from = strict ? found.row + 1 : found.row
  }
  return places
}

function placeOf(rows: readonly string[], label: string, first: number, strict: boolean): Place | null {
  const words = label.split(' ').map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  const wanted = new RegExp(words.join(String.raw`\s+`), 'u')
  for (let row = first; row < rows.length; row += 1) {
    const text = rows[row] ?? ''
    const found = wanted.exec(text)
    if (found === null) continue
    const before = text.slice(0, found.index)
    if (strict && /[\p{L}\p{N}]/u.test(before.replace(/[[(][xXo][\])]\s*$/u, ''))) continue
    return { row, before, from: found.index, to: found.index + found[0].length }
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
    ({ label }) => plain(label).split(' ')[0] === wanted,
    ({ label }) => wanted.length > 2 && plain(label).startsWith(wanted),
  ]
  for (const test of tests) {
    const found = choices.filter(test)
    if (found.length === 1) return found[0] ?? null
    if (found.length > 1) return null
  }
  return null
}

/** Whether a text is the whole name of an entry, perhaps without its number or its explanation. */
export function isNamed(label: string, text: string): boolean {
  const [shown, wanted] = [plain(label), plain(text)]
  return [shown, withoutNumber(shown), withoutHint(shown)].includes(wanted) || shown.startsWith(`${wanted} `)
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
