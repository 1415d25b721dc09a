import { oneLine } from '../text/strip.ts'
import type { View } from '../text/view.ts'
import { asksForKey, typeToGoOn } from './key-order.ts'
import { listsCommands } from './shape.ts'
import { commandOn } from '../understand/own-lines.ts'
import { isLogged, tellsWork, workingSign } from './working-signs.ts'

/** `[P] Yes, prepend  [A] Yes, append  [N] No` */
const keyed = /(?:^|[\s[/])[[(][\p{L}\d?]{1,2}[\])]\s?\p{L}/gu
/** `Are the details correct? [Y/n/q]`, `OK? [return = YES | Esc = NO]` */
const answers = /[[(][^[\]()]{1,60}(?:[/|,]| or )[^[\]()]{1,60}[\])]\s*[?:]?\s*(?:\\c)?$/u
const question = /\?|^\W*[[(][^[\]()]+[\])]\s*[?:]/u
/** `[ view (return) | skip (Ctrl-D) | quit (Ctrl-C) ]` */
const barred = /\[\s[^[\]|]{1,40}\|[^[\]|]{1,40}\|[^[\]|]{1,40}\]$/u
const yesInWords = /^\W*(?:please )?(?:write|type|enter|answer|say) ["'‘“]?y(?:es)?["'’”]? or ["'‘“]?no?["'’”]?[.:]?$/iu
const readsInput =
  /^\W*(?:[\p{L} ]{2,20}: )?(?:reading|waiting for|enter|type|paste)\b.{0,60}\b(?:(?:from|on|at) (?:stdin|standard input|the terminal|your keyboard)|(?:end|finish|terminate)\w* (?:with|by|using) .{0,20}(?:ctrl|control|\^|eof|end-of-file))/iu
const order = /^\W*(?:please,? )(?:enter|type|input|paste|choose|select|pick|specify|provide|write)\b/iu
/** Questions end lines of logs too; nobody logs an order to type something. */
const wants =
  /(?:^|\s--\s)\W*(?:enter|type|input|paste|choose|select|pick|specify|provide)\b.*:(?:\s\[[^[\]]{1,20}\])?$/iu
const yesOrNo =
  /(?:\?|^\p{Lu}[^.:?]{2,50}(?<=\p{L}))\s*[[(](?:y(?:es)?\s?[/|]\s?no?|no?\s?[/|]\s?y(?:es)?)[\])]\s*:?$|\?\s+y(?:es)?\/no?(?:\s*\([^()]*\))?$/iu
const surely =
  /^\W*(?:are you (?:really |absolutely |quite )?(?:sure|certain)|do you (?:really )?(?:want|wish)|would you like|which \S.{0,40} do you want)(?!\p{L}).{0,100}\?$/iu
/** Some programs put the time before each line they write. */
const stamp = /^\[\d\d:\d\d(?::\d\d)?\]:?\s/u
/** An answer that is not shown leaves its question behind. */
const hidden = /pass(?:word|phrase|code)|passwor|kennwort|mot de passe|contrase|token|secret|\bpin\b|密码|パスワード/iu

/** What an empty line under it waits for; null where the lines above ask nothing. */
export function askedAbove({ lines, at, screen }: View): { question: string; why: string } | null {
  const { col } = screen.cursor
  let row = at - 1
  while (row > at - 3 && textOf(lines[row]) === '') row -= 1
  const line = textOf(lines[row])
  const found = (why: string, text = line) => ({ question: oneLine(text), why })
  if (asksForKey(line)) return found('a key is asked for on the line above')
  const before = textOf(lines[row - 1])
  if (/^\W*press\b/iu.test(line) && asksForKey(before)) return found('a key is asked for above', before)
  if (row === at - 1 && listsCommands(line) && !/\?\s\p{L}{1,4}$/u.test(line)) return found('a list of commands')
  if (isOnlyShown(lines.slice(0, row))) return null
  if (col > 1 && col <= 8 && !isLogged(line) && (/\p{L}[?？]$/u.test(line) || yesOrNo.test(line)))
    return found('an indented line under a question')
  if (
    row === at - 1 &&
    yesOrNo.test(line.replace(stamp, '')) &&
    !again(lines, row) &&
    !isLogged(line.replace(stamp, ''))
  )
    return found('a yes or no is asked for on the line above')
  if (row === at - 1 && surely.test(line) && !again(lines, row)) return found('the line above asks')
  if (isLogged(line) || workingSign(line) !== null || tellsWork(line)) return null
  // Where the answer is not shown, a blank behind the question is where it was typed.
  if (hidden.test(line))
    return row === at - 1 && endsItself(lines[row]) && (wants.test(line) || order.test(line))
      ? found('the line above asks')
      : null
  if (row === at - 1 && (barred.test(line) || yesInWords.test(line)))
    return found('the answers stand on the line above')
  if (row === at - 1 && readsInput.test(line)) return found('it says that it reads')
  if (typeToGoOn.test(line)) return found('something is to be typed to go on')
  if (row === at - 1 && [...line.matchAll(/ \[\w(?:, Enter)?\](?=,|$)/giu)].length >= 2)
    return found('the answers stand on the line above')
  if ([...line.matchAll(keyed)].length >= 2) return found('the answers stand on the line above')
  // A place in brackets is a default, and so is each where one stands under the other.
  const taken = /\[(?:[~./][^\]]*|[^\]]*\/)?\]$/u.test(line) || /\?\s*\[[^\]]*\]$/u.test(before)
  if (row === at - 1 && !again(lines, row) && !taken && question.test(line) && answers.test(line))
    return found('the answers stand on the line above')
  if (row === at - 1 && endsItself(lines[row]) && line.includes('?') && /\[[^[\]]{0,80}\]:$/u.test(line))
    return found('the line above asks')
  if (row === at - 1 && /^\[[^\][]+\]$/u.test(line) && before.endsWith('?')) return found('the lines above ask', before)
  if (row === at - 1 && endsItself(lines[row]) && /^\W*please\s.*:$/iu.test(line)) return found('the line above asks')
  if (wants.test(line)) return found('the line above asks')
  const listed = listAbove(lines, row)
  if (listed !== null) return found('a list stands above', listed)
  return orderAbove({ lines, row }, found)
}

/** Programs that show what others wrote: nobody reads an answer to that. */
const shows =
  /(?:^|[;|&]\s*)(?:tail|cat|less|echo|printf|watch|journalctl|dmesg|grep|rg|sleep|(?:docker|podman|kubectl|oc|pm2|heroku) (?:\S+ )?logs?)(?![\p{L}-])/u

function isOnlyShown(above: View['lines']): boolean {
  for (const { text } of above.toReversed()) {
    const command = /^(?:echo|printf) /u.test(text) ? text : commandOn(text)
    if (command !== null) return shows.test(command)
  }
  return false
}

/** What is printed over and over asks nobody. */
const again = (lines: View['lines'], row: number): boolean =>
  lines.slice(Math.max(0, row - 20), row).some((other) => textOf(other) === textOf(lines[row]))

const endsItself = (line: View['lines'][number] | undefined): boolean => /\S$/u.test(line?.text ?? '')

const entry = /^\s*(?:[[(]?\d{1,2}[\]).]\s\S|\p{L}\.\s\S|[[(]\p{L}[\])]\p{L})/u

/** What is to be picked from a list that ends here. */
function listAbove(lines: View['lines'], last: number): string | null {
  const belongs = (row: number): boolean =>
    entry.test(textOf(lines[row])) || textOf(lines[row]) === '' || /^\s{6,}\S/u.test(lines[row]?.text ?? '')
  let first = last
  while (first > 0 && belongs(first)) first -= 1
  const head = textOf(lines[first])
  return lines.slice(first, last + 1).filter((line) => entry.test(textOf(line))).length >= 2 &&
    /^\W*(?:pick|choose|select|which|what)\b/iu.test(head)
    ? head
    : null
}

/** An order to type something, with a line or two that explain it. */
function orderAbove<T>({ lines, row }: Pick<View, 'lines'> & { row: number }, found: (why: string, text: string) => T) {
  const endsWithColon = /\S:$/u.test(lines[row]?.text ?? '')
  for (let above = row; above > row - 4 && textOf(lines[above]) !== ''; above -= 1) {
    const line = textOf(lines[above])
    if (order.test(line) && (!hidden.test(line) || endsWithColon)) return found('the lines above ask', line)
  }
  return null
}

const textOf = (line: View['lines'][number] | undefined): string => line?.text.trim() ?? ''
