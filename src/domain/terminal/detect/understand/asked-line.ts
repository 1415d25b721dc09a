import { commandOn } from './own-lines.ts'
import { plainLine, questionOf, withoutBrackets } from './question.ts'
import { wantsNumbers } from './words/ask.ts'

/** The question, and the lines above it. */
export type AskedLine = { question: string; above: readonly string[] }

/** Only a sign that marks where to type. */
const sign = /^(?:[>»›❯:?#-]|>>|[=-]{1,2}>)$/u
/** The default, alone on its line: `[no]:`, `[local::lib]`. */
const onlyDefault = /^\[[^\][]{1,80}\]\s*(?:[:?]|>{1,3})?$/u
const asks = /[?？:：]$/u
const begs =
  /^(?:please|enter|type|choose|specify|bitte|geben sie|veuillez|entrez|saisissez|introduzca|ingrese|indique|inserire|inserisci|digite|informe|voer|podaj|wpisz|введите|укажите|请|請)(?![a-zà-ÿ])/iu
/** Asks for words to be typed out. */
const confirms =
  /to (?:proceed|continue|confirm),? (?:type|enter)|(?:type|enter) .{1,80} to (?:confirm|proceed|continue)/iu
const orders =
  /^\W*(?:please )?(?:enter|type) .*(?:press|hit) <?enter>? to (?:accept|use|select)|^\W*(?:please )?(?:enter|type|input|write)(?![\p{L}]).*:$|^\W*please (?:enter|type|input|write)(?![\p{L}])(?!.*(?:help|quit|exit))/iu

/** If one can also quit or get help, the input is a command. */
const tellsCommands = /\bto (?:quit|exit)\b|\bfor help\b/u

/** A program that said how to leave it takes commands, whatever it asks in between. */
export const saysHowToLeave = /(?<![\p{L}])(?:type|enter|use) .{1,30}(?<![\p{L}])to (?:exit|quit|leave)(?![\p{L}])/iu

/** The question may be on the line above the cursor, or begin there. */
export const askedLine = (question: string, above: readonly string[]): AskedLine => {
  const last = plainLine(above.at(-1) ?? '')
  const before = above.slice(0, -1)
  // `>>>` is an interpreter's prompt, unless the line above lists answers.
  const isSign = sign.test(question) || (question === '>>>' && /\?\s*[[(]\w+[|/]\w+[\])]$/u.test(last))
  if (isSign && above.some((line) => saysHowToLeave.test(line))) return { question, above }
  if (isSign && asksAbove(last, question)) return { question: questionOf(last), above: before }
  const note =
    /^(?:to cancel|to skip|leave (?:it )?(?:blank|empty)|press|hit|type|the default)(?![\p{L}])[^?]*\[[^\]]*\]\s*:?$/iu
  if (note.test(question) && last.endsWith('?')) return { question: questionOf(last), above: before }
  if (onlyDefault.test(question) && (asks.test(withoutBrackets(last)) || begs.test(last) || /\?\s+\p{Lu}/u.test(last)))
    return { question: `${questionOf(last)} ${question}`, above: before }
  const order = /^[^\p{L}\p{N}\s]{1,4}$/u.test(question) ? orderAbove(above, isSign) : -1
  if (order !== -1) return { question: questionOf(above[order] ?? ''), above: above.slice(0, order) }
  const goesOn =
    /^\(or /iu.test(question) ||
    (/^\(\p{L}[^()]{12,}\)\s*[:：]?$/u.test(question) && last !== '') ||
    (last.endsWith(',') && /,\s.*[?:]$/u.test(question))
  return goesOn ? { question: `${questionOf(last)} ${question}`, above: before } : { question, above }
}

const asksAbove = (line: string, mark: string): boolean => {
  if (commandOn(line) !== null) return false
  if (!/\p{L}{2}/u.test(line) || line.startsWith(`${mark} `)) return wantsNumbers.test(line)
  if (/^\p{Lu}?\p{Ll}+ing(?![\p{L}])|\bcommand:/u.test(line) || tellsCommands.test(line)) return false
  return (
    asks.test(line) ||
    /\?\s[\p{L}-]+(?:\/[\p{L}-]+)+$/u.test(line) ||
    asks.test(withoutBrackets(line)) ||
    wantsNumbers.test(line)
  )
}

/** The line that tells the user to type something, with a note or two below it. */
const orderAbove = (above: readonly string[], isSign: boolean): number => {
  let blank = false
  for (let at = above.length - 1; at >= 0 && at > above.length - 6; at -= 1) {
    const line = plainLine(above[at] ?? '')
    blank ||= line === ''
    if (tellsCommands.test(line)) return -1
    if (
      confirms.test(line) ||
      (isSign && (!blank || /^please enter/iu.test(line)) && at > above.length - 5 && orders.test(line))
    )
      return at
  }
  return -1
}

/** Some programs put their name before each line of output. */
export const withoutName = (question: string, above: readonly string[]): AskedLine => {
  const name = /^[\w.-]{2,20}: (?=\S)/u.exec(question)?.[0]
  if (name === undefined || !(above.at(-1) ?? '').startsWith(name)) return { question, above }
  const cut = (line: string): string => (line.startsWith(name) ? line.slice(name.length) : line)
  return { question: cut(question), above: above.map(cut) }
}
