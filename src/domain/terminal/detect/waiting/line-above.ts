import { oneLine } from '../text/strip.ts'
import type { View } from '../text/view.ts'
import { commandOn } from '../understand/own-lines.ts'
import * as words from './above-words.ts'
import { asksForKey, typeToGoOn } from './key-order.ts'
import { listsCommands } from './shape.ts'
import { isLogged, tellsWork, workingSign } from './working-signs.ts'

/** The last line with text above the cursor's empty line. */
type Above = {
  lines: View['lines']
  row: number
  line: string
  /** The line before it. */
  before: string
  /** It is directly above the cursor's line. */
  isNext: boolean
  /** It has no trailing space; a prompt for hidden input leaves one after the question. */
  isEnded: boolean
  /** The column of the cursor. */
  col: number
}

/** Why a line asks, and the test: true for the line itself, a string for another line, else it does not ask. */
type LineRule = readonly [why: string, asks: (above: Above) => boolean | string | null]

const keys: readonly LineRule[] = [
  ['the line above asks for a key', ({ line }) => asksForKey(line)],
  ['a line above asks for a key', ({ line, before }) => /^\W*press\b/iu.test(line) && asksForKey(before) && before],
  ['a list of commands', ({ line, isNext }) => isNext && listsCommands(line) && !/\?\s\p{L}{1,4}$/u.test(line)],
]

const questions: readonly LineRule[] = [
  [
    'an indented line under a question',
    ({ line, col }) =>
      col > 1 && col <= 8 && !isLogged(line) && (/\p{L}[?？]$/u.test(line) || words.yesOrNo.test(line)),
  ],
  [
    'the line above asks for yes or no',
    (above) => {
      const plain = above.line.replace(words.stamp, '')
      return above.isNext && words.yesOrNo.test(plain) && !isRepeated(above) && !isLogged(plain)
    },
  ],
  ['the line above asks', (above) => above.isNext && words.surely.test(above.line) && !isRepeated(above)],
]

const unseen: readonly LineRule[] = [
  [
    'the line above asks',
    ({ line, isNext, isEnded }) => isNext && isEnded && (words.wants.test(line) || words.order.test(line)),
  ],
]

const orders: readonly LineRule[] = [
  [
    'the answers are on the line above',
    ({ line, isNext }) => isNext && (words.barred.test(line) || words.yesInWords.test(line)),
  ],
  ['it says that it reads input', ({ line, isNext }) => isNext && words.readsInput.test(line)],
  ['something must be typed to continue', ({ line }) => typeToGoOn.test(line)],
  [
    'the answers are on the line above',
    ({ line, isNext }) => (isNext && count(line, words.trailed) >= 2) || count(line, words.keyed) >= 2,
  ],
  ['the answers are on the line above', namesAnswers],
  [
    'the line above asks',
    ({ line, isNext, isEnded }) => isNext && isEnded && line.includes('?') && /\[[^[\]]{0,80}\]:$/u.test(line),
  ],
  [
    'the lines above ask',
    ({ line, before, isNext }) => isNext && /^\[[^\][]+\]$/u.test(line) && before.endsWith('?') && before,
  ],
  ['the line above asks', ({ line, isNext, isEnded }) => isNext && isEnded && /^\W*please\s.*:$/iu.test(line)],
  ['the line above asks', ({ line }) => words.wants.test(line)],
  // A playbook step prints its name, then what it asks for.
  [
    'the line above asks',
    ({ line, before, isNext, isEnded }) =>
      isNext && isEnded && /^\[\p{L}[^\][]*\]$/u.test(before) && line.endsWith(':'),
  ],
  [
    'an interpreter asks a question',
    ({ line, before, col }) => col === 0 && words.counted.test(before) && /^(?:is|are|does|do) .*\?$/iu.test(line),
  ],
  ['there is a list above', headOfList],
  ['the lines above ask', explainedOrder],
]

/** What an empty line waits for; null if the lines above ask nothing. */
export function askedAbove(view: View): { question: string; why: string } | null {
  const above = aboveOf(view)
  const key = firstOf(keys, above)
  if (key !== null || isOnlyShown(above)) return key
  const asked = firstOf(questions, above)
  const { line } = above
  if (asked !== null || isLogged(line) || workingSign(line) !== null || tellsWork(line)) return asked
  return firstOf(words.hidden.test(line) ? unseen : orders, above)
}

function aboveOf({ lines, at, screen }: View): Above {
  let row = at - 1
  while (row > at - 3 && textOf(lines[row]) === '') row -= 1
  const line = textOf(lines[row])
  const isEnded = /\S$/u.test(lines[row]?.text ?? '')
  return { lines, row, line, before: textOf(lines[row - 1]), isNext: row === at - 1, isEnded, col: screen.cursor.col }
}

function firstOf(rules: readonly LineRule[], above: Above): { question: string; why: string } | null {
  for (const [why, asks] of rules) {
    const asked = asks(above)
    if (typeof asked === 'string') return { question: oneLine(asked), why }
    if (asked === true) return { question: oneLine(above.line), why }
  }
  return null
}

const textOf = (line: View['lines'][number] | undefined): string => line?.text.trim() ?? ''

const count = (line: string, form: RegExp): number => [...line.matchAll(form)].length

/** The line was only printed by a command, or by a program that shows the output of others. */
function isOnlyShown({ lines, row, line }: Above): boolean {
  for (const { text } of lines.slice(0, Math.max(0, row)).toReversed()) {
    // Script runners and shell traces put their own sign before a command.
    const command = /^(?:[>+$]+ )?(?:echo|printf) /u.test(text) ? text : commandOn(text)
    if (command !== null) return words.shows.test(command) || (line.length > 8 && command.includes(line))
  }
  return false
}

/** A line that is printed repeatedly is not a question. */
const isRepeated = ({ lines, row, line }: Above): boolean =>
  lines.slice(Math.max(0, row - 20), Math.max(0, row)).some((other) => textOf(other) === line)

function namesAnswers(above: Above): boolean {
  const { line, before, isNext } = above
  // A path in brackets is a default, and so are brackets on consecutive lines.
  const taken = /\[(?:[~./][^\]]*|[^\]]*\/)?\]$/u.test(line) || /\?\s*\[[^\]]*\]$/u.test(before)
  return isNext && !isRepeated(above) && !taken && words.question.test(line) && words.answers.test(line)
}

/** The question above a list that ends here. */
function headOfList({ lines, row: last }: Above): string | null {
  const belongs = (row: number): boolean =>
    words.entry.test(textOf(lines[row])) || textOf(lines[row]) === '' || /^\s{6,}\S/u.test(lines[row]?.text ?? '')
  let first = last
  while (first > 0 && belongs(first)) first -= 1
  const head = textOf(lines[first])
  const entries = lines.slice(Math.max(0, first), last + 1).filter((line) => words.entry.test(textOf(line)))
  return entries.length >= 2 && /^\W*(?:pick|choose|select|which|what)\b/iu.test(head) ? head : null
}

/** An instruction to type something, with a line or two of explanation. */
function explainedOrder({ lines, row }: Above): string | null {
  const endsWithColon = /\S:$/u.test(lines[row]?.text ?? '')
  for (let above = row; above > row - 4 && textOf(lines[above]) !== ''; above -= 1) {
    const line = textOf(lines[above])
    if (isLogged(line)) return null
    if (words.order.test(line) && !/:\s\S/u.test(line) && (!words.hidden.test(line) || endsWithColon)) return line
  }
  return null
}
