import type { PromptType } from '../../../schema.ts'
import { isCommandPrompt, isPager } from '../command-shape.ts'
import type { PromptSource } from '../prompt-source.ts'
import { menuKind } from '../menu.ts'
import { withoutBrackets, withoutEnd, endsAsQuestion } from '../question.ts'
import {
  fieldStart,
  onlyContinues,
  pressKey,
  pressYes,
  selectWords,
  typeYes,
  wantsNumbers,
  whWords,
  auxiliaryStart,
} from '../words/ask.ts'
import { whereTo, looksLikePath, pathWords } from '../words/path.ts'
import { agrees } from './agrees.ts'
import { fewNumbers, firstWords, type PromptParts } from './parts.ts'
import { asksForSecret } from './secret.ts'
import type { Option } from '../options.ts'
import { secretWords } from '../words/secret.ts'
import { isNo, isYes, isYesOrNoWord } from '../words/yes-no.ts'

/** `Menu choice:` */
const picksOne =
  /^(?:pick|select|choose|what now)$|(?<![\p{L}])make (?:a|your) (?:selection|choice)(?![\p{L}])|(?<![\p{L}])(?:choice|selection|option)$|(?<![\p{L}])(?:choice|selection|option|number) (?:from |between )?\d{1,2}\s?(?:-|to|and)\s?\d{1,2}$/iu

/** `Share [1/2]:`: the first of two, not a list of answers. */
const isCount = ({ question, listed }: PromptParts): boolean =>
  /^(?!.*\?)\p{L}+(?: \p{L}+)? [([]\d{1,2}\/\d{1,2}[)\]]\s?:$/u.test(question) &&
  listed.length === 0 &&
  !selectWords.test(question)

/** `Type "help" to list all commands`, `Enter ? for list of commands` */
const offersCommands =
  /(?:list (?:of |all )?(?:the )?(?:available )?commands)|type ['"`‘“]?help['"`’”]?(?![\p{L}])|['"`‘“?]help['"`’”] for/iu

/** `Enter a path, or press Enter for the default` */
const orPress = /^\W*(?:please )?(?:enter|type)(?![\p{L}]).*(?<![\p{L}])or (?:just |simply )?(?:press|hit)(?![\p{L}])/iu

/** `file  ---->  notes.txt  [f]`: what goes where, and the default action. */
const direction = /(?:-{3,}>|<-{3,})\s.*\[\S{0,2}\]$/u

/** `Enter the name of the entry` */
const orders = /^(?:please )?(?:enter|type|give|input|specify) (?:the|an?|your)(?![\p{L}])/iu

const isPicker = (found: PromptSource): boolean => /^\s*\d+\/\d+(?: \(\d+\))?(?:\s|$)/u.test(found.above.at(-1) ?? '')

/** The same prompt is above with a typed command after it, so it does not ask to choose from a list. */
const tookCommands = ({ above }: PromptSource, question: string): boolean =>
  /^[\p{L}\d][\w.-]+>$/u.test(question) &&
  above.some((line) => line.startsWith(`${question} `) && /^\p{Ll}{2,}(?:\s|$)/u.test(line.slice(question.length + 1)))

/** The type of the prompt; the first matching rule decides. */
export const kindOf = (found: PromptSource, parts: PromptParts): PromptType => {
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
const bodyOrCommand = (found: PromptSource, parts: PromptParts): PromptType => {
  if (parts.question !== '' || found.fullScreen) return 'command'
  return /^(?:subject|betreff|objet|asunto|cc|bcc|to|件名|主题)\s?[:：]\s\S/iu.test(found.above.at(-1) ?? '')
    ? 'text'
    : 'command'
}

/** Asks for a file or a directory. */
const isPath = (parts: PromptParts): boolean => {
  const plain = withoutBrackets(parts.question)
  if (
    /(?<![\p{L}])(?:pattern|regex|glob|extension|(?:type|format|size|length|kind|mode|permission|owner|encoding)s? of)s?(?![\p{L}])/iu.test(
      plain,
    )
  )
    return false
  if (
    /^(?:destination|output|examine|(?:log|save|write|export) to|input \[stdin\])\s*(?:\[[^\]]*\])?:$/iu.test(
      parts.question,
    )
  )
    return true
  if (/\((?:e\.?g\.?|for example|like|such as),?:? ~?\.{0,2}\/\S*\)/iu.test(parts.question)) return true
  if (whereTo.test(plain) || pathWords.test(plain) || /^(?:~|\.{0,2})\/\S+:$/u.test(parts.question)) return true
  if (parts.fallback !== null && looksLikePath(parts.fallback) && !/(?<![\p{L}])buffer(?![\p{L}])/iu.test(plain))
    return true
  if (/^\(\S*(?:file|dir|path)\S*\)$|^(?:rename|move|copy)(?![\p{L}]).*(?:->|=>|to[:?]?)$/iu.test(parts.question))
    return true
  return (
    /^(?:new|enter new) (?:file)?name:?$/iu.test(plain) &&
    /\[?r\]?ename|exist/iu.test(`${parts.answered ?? ''} ${parts.near.at(-1) ?? ''}`)
  )
}

const listsCode = (listed: readonly Option[]): boolean =>
  listed.some(({ label }) => /[=;{}]|\w\(|^(?:import|from|def|const|let|var|return|print)(?![\p{L}])/u.test(label))

/** Asks for one of the entries listed above. */
const picksListed = (parts: PromptParts, fullScreen: boolean): boolean => {
  const { question, listed } = parts
  if (/(?<![\p{L}])(?:enter|type) the (?:full )?(?:name|path) of(?![\p{L}])/iu.test(question)) return false
  if (onlyContinues(question)) return false
  // `Update>>` under files that can be chosen by number.
  if (/^\p{Lu}[\p{L} ]{2,30}>>$/u.test(question) && listed.length > 0 && parts.distance === 0) return true
  if (listed.length === 0 || (listed.length === 1 && !/^(?:select|choose|pick)(?![\p{L}])/iu.test(question)))
    return false
  if (/^[\w.-]+[>#$%]$/u.test(question) && listed.every(({ key }) => key.length > 1 && !/^\d/u.test(key))) return false
  // A shell takes commands, whatever was printed above.
  if (/^[\w.:~@/-]+[#$%]$/u.test(question)) return false
  // A debugger lists lines of code, not entries.
  if (
    /^(?:[\w-]+[>#$%]|\([\w-]+\))$/u.test(question) &&
    !parts.near.some((line) => selectWords.test(line)) &&
    !selectWords.test(question) &&
    listsCode(listed)
  )
    return false
  // On a full screen, the lines above are a text being read or written, not a list.
  if (fullScreen && !selectWords.test(question)) return false
  const plain = withoutBrackets(withoutEnd(question))
  if (
    selectWords.test(question) ||
    wantsNumbers.test(question) ||
    /[([]\d+\s?-\s?\d+[)\],]/u.test(question) ||
    /^[?#>:\s]*$/u.test(plain)
  )
    return true
  if (/^how (?:many|much|long|old|often)(?![\p{L}])/iu.test(plain)) return false
  if (parts.prose || auxiliaryStart.test(plain) || typeYes.test(question)) return false
  if (parts.distance === 0) return plain.split(' ').length <= 14
  if (fieldStart.test(plain) || pathWords.test(plain)) return false
  return parts.distance <= 1 && plain.split(' ').length <= 6
}

/** Answered by yes or no, although it does not list them. */
const isYesNoQuestion = (parts: PromptParts): boolean => {
  const { question } = parts
  if (
    parts.inline.length === 0 &&
    (namesField(question) || (/\[\s?\]\s*[:?]?$/u.test(question) && !/^proceed(?![\p{L}])/iu.test(question)))
  )
    return false
  if (fewNumbers.test(question) && !/\p{L}/u.test(withoutBrackets(question))) return false
  // `Cut the deck? (0 <= n <= 51)`, `comments?`
  if (/[([]\s*\d+\s*<=?\s*\w/u.test(question) || /^(?!yes)\p{L}+s\s?\?$/iu.test(question)) return false
  if (
    typeYes.test(question) ||
    parts.near.slice(-4).some((line) => /only ["'‘“]?yes["'’”]? will|type the word ["'‘“]?yes["'’”]? to/iu.test(line))
  )
    return true
  const fallback = parts.fallback ?? ''
  const asked = endsAsQuestion(question) || parts.near.slice(-1).some((line) => /[?？]$/u.test(line))
  if (
    (isYesOrNoWord(fallback) || (asked && (isYes(fallback) || isNo(fallback)))) &&
    !whWords.test(firstWords(question))
  )
    return asked || /^[[(]/u.test(question) || isYesOrNoWord(fallback)
  const plain = lastSentence(withoutBrackets(question))
  if (surely.test(plain) || /\[confirm\]$/iu.test(question)) return true
  if (!endsAsQuestion(question)) return false
  if (fallback !== '' && !isYes(fallback) && !isNo(fallback))
    return auxiliaryStart.test(plain) || (question.endsWith(')?') && doing.test(plain.split(' ')[0] ?? ''))
  if (asksPolitely.test(plain)) return false
  if (auxiliaryStart.test(plain)) return true
  // `Shares to buy?`, `Node to remove?`
  if (
    /^(?!(?:ok|okay|ready|continue|proceed|sure|safe|want|time|agree)\s)(?:\p{L}+ ){0,2}\p{L}+ to \p{L}+\s*\?$/iu.test(
      plain,
    ) &&
    !doing.test(plain.split(' ')[0] ?? '')
  )
    return false
  if (/^(?:start|end)\s*\?$/iu.test(plain)) return false
  if (/^your \p{L}+\s*\?$/iu.test(plain)) return false
  return !whWords.test(firstWords(plain)) && !fieldStart.test(plain) && !secretWords.test(withoutNames(plain))
}

/** Can only be answered by yes or no, whatever its ending. */
const surely =
  /^(?:(?:continue|proceed|go on)(?: \p{L}+ing| anyway)?(?=\s*\?)|are you (?:\p{L}+ )?(?:sure|certain)|(?:do|would) you (?:really )?(?:want|wish|like) to|shall (?:i|we)|ok(?:ay)? to)(?![\p{L}])/iu

/** "May I have your name?" asks for the name. */
const asksPolitely =
  /^(?:may|can|could) (?:i|we) (?:have|get|ask|know)(?![\p{L}])|^(?:can|could|would) you (?:please )?(?:tell|give|name|enter|provide|describe|specify)(?![\p{L}])/iu

/** `Release name?`, `Config file?`: asks for a value, not for an action. */
const namesField = (question: string): boolean => {
  const words = withoutEnd(withoutBrackets(question)).split(' ')
  if (!endsAsQuestion(question) || words.length > 3 || doing.test(words[0] ?? '')) return false
  return fieldStart.test(words.at(-1) ?? '') || pathWords.test(words.at(-1) ?? '')
}

const doing =
  /^(?:add|accept|allow|append|apply|back|cancel|change|clear|close|copy|create|delete|discard|download|drop|edit|erase|export|fetch|forget|format|generate|hide|ignore|import|include|insert|install|keep|load|lock|make|merge|mount|move|new|open|overwrite|print|purge|quit|read|really|reload|remove|rename|replace|reset|restore|save|send|set|show|skip|sort|store|sync|truncate|unlink|update|upload|use|view|wipe|write|really|sure)$/iu

/** Quoted names are not what is asked for. */
const withoutNames = (text: string): string => text.replaceAll(/['"‘“`][^'"’”`]{1,200}['"’”`]/gu, ' ')

const lastSentence = (text: string): string =>
  text.split(/(?<=[\p{L}\d)'"]{2}[.!])\s+(?=\p{Lu})|(?<=\p{L});\s+/u).at(-1) ?? text
