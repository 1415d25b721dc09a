import type { PromptType } from '../../../schema.ts'
import { isCommandPrompt, isPager } from '../command-shape.ts'
import type { Found } from '../found.ts'
import { menuKind } from '../menu.ts'
import { withoutBrackets, withoutEnd } from '../question.ts'
import {
  fieldStart,
  onlyContinues,
  pressKey,
  pressYes,
  selectWords,
  typeYes,
  wantsNumbers,
  whWords,
} from '../words/ask.ts'
import { whereTo } from '../words/path.ts'
import { agrees } from './agrees.ts'
import { fewNumbers, firstWords, type Parts } from './parts.ts'
import { isPath } from './path.ts'
import { picksListed } from './picks-listed.ts'
import { asksForSecret } from './secret.ts'
import { isYesNoQuestion } from './yes-no.ts'

/** `Menu choice:` */
const picksOne =
  /^(?:pick|select|choose|what now)$|(?<![\p{L}])make (?:a|your) (?:selection|choice)(?![\p{L}])|(?<![\p{L}])(?:choice|selection|option)$|(?<![\p{L}])(?:choice|selection|option|number) (?:from |between )?\d{1,2}\s?(?:-|to|and)\s?\d{1,2}$/iu

/** `Share [1/2]:`: the first of two, and no answer. */
const isCount = ({ question, listed }: Parts): boolean =>
  /^(?!.*\?)\p{L}+(?: \p{L}+)? [([]\d{1,2}\/\d{1,2}[)\]]\s?:$/u.test(question) &&
  listed.length === 0 &&
  !selectWords.test(question)

/** `Type "help" to list all commands`, `Enter ? for list of commands` */
const offersCommands =
  /(?:list (?:of |all )?(?:the )?(?:available )?commands)|type ['"`‘“]?help['"`’”]?(?![\p{L}])|['"`‘“?]help['"`’”] for/iu

/** `Enter a path, or press Enter for the default` */
const orPress = /^\W*(?:please )?(?:enter|type)(?![\p{L}]).*(?<![\p{L}])or (?:just |simply )?(?:press|hit)(?![\p{L}])/iu

/** `file  ---->  notes.txt  [f]`: what goes where, and what Enter would do with it. */
const direction = /(?:-{3,}>|<-{3,})\s.*\[\S{0,2}\]$/u

/** `Enter the name of the entry` */
const orders = /^(?:please )?(?:enter|type|give|input|specify) (?:the|an?|your)(?![\p{L}])/iu

const isPicker = (found: Found): boolean => /^\s*\d+\/\d+(?: \(\d+\))?(?:\s|$)/u.test(found.above.at(-1) ?? '')

/** The same name and sign stood before words that somebody typed, which no list has. */
const tookCommands = ({ above }: Found, question: string): boolean =>
  /^[\p{L}\d][\w.-]+>$/u.test(question) &&
  above.some((line) => line.startsWith(`${question} `) && /^\p{Ll}{2,}(?:\s|$)/u.test(line.slice(question.length + 1)))

/** What is asked for; the first that knows decides. */
export const kindOf = (found: Found, parts: Parts): PromptType => {
  const { question, inline } = parts
  const menu = found.menu === null ? null : menuKind(found.menu, question)
  if (menu === 'choice' || menu === 'yes_no' || menu === 'path') return menu
  if (found.secretByMode && !pressKey.test(question) && inline.length < 2) return 'password'
  if (pressYes.test(question)) return 'yes_no'
  if (asksForSecret(parts)) return 'password'
  if (inline.length >= 2 && whereTo.test(question)) return 'path'
  if (inline.length >= 2 && !isCount(parts)) return agrees(inline) ? 'yes_no' : 'choice'
  if (isPicker(found) || direction.test(question)) return 'choice'
  if (isPager(question) || (found.fullScreen && /^[^\s:?]+\.[^\s:?]+:$/u.test(question))) return 'command'
  if (
    /^\S{0,20}[:>]$/u.test(question) &&
    !fieldStart.test(question) &&
    found.above.slice(-8).some((line) => offersCommands.test(line))
  )
    return 'command'
  if (tookCommands(found, question)) return 'command'
  if (picksListed(parts, found.fullScreen)) return agrees(parts.listed) ? 'yes_no' : 'choice'
  if (typeYes.test(question) && /[-=]+>$/u.test(question)) return 'yes_no'
  if (/^\s*[➜λ]\s+\S/u.test(found.text) && !/[?:]$/u.test(question)) return 'command'
  if (isCommandPrompt(question, found.above, found.program)) return bodyOrCommand(found, parts)
  if (typeYes.test(question)) return 'yes_no'
  if (pressKey.test(question)) {
    const picks = parts.listed.length >= 2 && !onlyContinues(question)
    if (picks || /select(?:ion)?|number/iu.test(question)) return 'choice'
    if (!orPress.test(question)) return 'text'
  }
  if (isYesNoQuestion(parts)) return 'yes_no'
  if (selectWords.test(question) && wantsNumbers.test(parts.near.at(-1) ?? '')) return 'choice'
  if (
    picksOne.test(withoutEnd(withoutBrackets(question))) ||
    (selectWords.test(question) && !/number of/iu.test(question) && /^\d{1,2}$/u.test(parts.fallback ?? ''))
  )
    return 'choice'
  if (
    fewNumbers.test(question) &&
    !/number of|how many/iu.test(question) &&
    (selectWords.test(question) || whWords.test(firstWords(question)) || !/\p{L}/u.test(withoutBrackets(question)))
  )
    return 'choice'
  if (isPath(parts)) return 'path'
  if (found.fullScreen && !/[:：?？>)]\s*$/u.test(question) && menu === null && !orders.test(question)) return 'command'
  return 'text'
}

/** An empty line under a filled-in header is the body of a message, not a command. */
const bodyOrCommand = (found: Found, parts: Parts): PromptType => {
  if (parts.question !== '' || found.fullScreen) return 'command'
  return /^(?:subject|betreff|objet|asunto|cc|bcc|to|件名|主题)\s?[:：]\s\S/iu.test(found.above.at(-1) ?? '')
    ? 'text'
    : 'command'
}
