import type { PromptType } from '../../schema.ts'
import { isCommandPrompt, isPager } from './command-shape.ts'
import type { Found } from './found.ts'
import { menuKind } from './menu.ts'
import type { Option } from './options.ts'
import { openSecret } from './own-lines.ts'
import { endsAsQuestion, withoutBrackets, withoutEnd } from './question.ts'
import {
  auxiliaryStart,
  fieldStart,
  pressKey,
  pressYes,
  selectWords,
  typeYes,
  wantsNumbers,
  whWords,
} from './words/ask.ts'
import { looksLikePath, pathWords, whereTo } from './words/path.ts'
import { aboutSecrets, onceMore, secretWords } from './words/secret.ts'
import { isNo, isYes, isYesOrNoWord } from './words/yes-no.ts'

/** What the prompt was taken apart into. */
export type Parts = {
  question: string
  inline: readonly Option[]
  listed: readonly Option[]
  /** Lines of text between that list and the question. */
  distance: number
  prose: boolean
  fallback: string | null
  /** The lines the question belongs to, nearest last. */
  near: readonly string[]
  answered: string | null
}

/** Two answers, yes and no; help and the like beside them change nothing. */
const agrees = (options: readonly Option[]): boolean => {
  // The letter of a longer word stands for that word: `[S]tand`.
  const means = (option: Option, test: (word: string) => boolean) =>
    test(option.label) ||
    (option.label.length <= 2 && test(option.key)) ||
    (/^[yn]$/iu.test(option.key) && test(option.key))
  if (
    options.length === 2 &&
    options.some(({ key }) => /^ok(?:ay)?$/iu.test(key)) &&
    options.some(({ key }) => /^(?:cancel|abort)$/iu.test(key))
  )
    return true
  const others = options.filter((option) => !means(option, isYes) && !means(option, isNo))
  const yes = options.filter((option) => means(option, isYes))
  const no = options.some((option) => means(option, isNo))
  // Two ways to agree are two answers: `[P] Yes, prepend  [A] Yes, append`.
  const oneWay = yes.length === 1 || (yes.length > 1 && yes.every((option) => isYes(option.key)))
  return (
    oneWay &&
    no &&
    others.every(
      (option) =>
        /^(?:\?|fingerprint|help|hilfe|aide|h|esc|\^.|c-.|ctrl-.)$/iu.test(option.key) ||
        (option.key === 'q' && options.some(({ key }) => key === '?') && options.length === 4),
    )
  )
}

/** The secret is what is asked for, not what the question is about. */
export const asksForSecret = (parts: Parts): boolean => {
  const { question } = parts
  if (onceMore.test(question) && parts.inline.length < 2 && openSecret.test(parts.answered ?? parts.near.at(-1) ?? ''))
    return true
  const plain = withoutBrackets(question)
  if (/(?<![\p{L}])(?:password|passphrase|pin)\s*[:：]?$/iu.test(plain) && !aboutSecrets.test(question)) return true
  const named = secretWords.test(plain) || (secretWords.test(question) && !/[\p{L}]{3}/u.test(plain))
  // What it is for does not count: `passphrase for key ID 7 [of the key file]`.
  const asked = (/\p{L}{3}/u.test(plain) ? plain : question).split(/ for (?!pass)/iu)[0] ?? ''
  if (!named || aboutSecrets.test(asked)) return false
  if (parts.inline.length >= 2 && (agrees(parts.inline) || parts.inline.some(({ label }) => isYes(label)))) return false
  if (pathWords.test(plain) && !/pass(?:word|phrase)|パス(?:ワード|フレーズ)|密码|口令/iu.test(plain)) return false
  if (pathWords.test(plain) && /^(?:enter |the )?(?:path|file|location|directory)/iu.test(plain)) return false
  if (!endsAsQuestion(question) || /^pass(?:word|phrase|code)(?![\p{L}])/iu.test(plain)) return true
  if (/^how (?:long|many|often|old|much)(?![\p{L}])/iu.test(plain)) return false
  const words = withoutEnd(plain).split(' ')
  return words.length <= 3
    ? !auxiliaryStart.test(plain) && !changes.test(plain)
    : whWords.test(words.slice(0, 3).join(' '))
}

const changes =
  /^(?:change|reset|set|remove|delete|show|display|save|store|update|clear|revoke|generate|use|ändern|changer|cambiar)/iu

const fewNumbers = /[([]\d{1,2}\s?(?:-|\.{2,3})\s?\d{1,2}(?:[)\],]| or )/u
/** `Menu choice:` */
const picksOne =
  /^(?:pick|select|choose|what now)$|(?<![\p{L}])make (?:a|your) (?:selection|choice)(?![\p{L}])|(?<![\p{L}])(?:choice|selection|option)$|(?<![\p{L}])(?:choice|selection|option|number) (?:from |between )?\d{1,2}\s?(?:-|to|and)\s?\d{1,2}$/iu

const listsCode = (listed: readonly Option[]): boolean =>
  listed.some(({ label }) => /[=;{}]|\w\(|^(?:import|from|def|const|let|var|return|print)(?![\p{L}])/u.test(label))

/** Asks for one of the entries that are listed above it. */
const picksListed = (parts: Parts, fullScreen: boolean): boolean => {
  const { question, listed } = parts
  if (/(?<![\p{L}])(?:enter|type) the (?:full )?(?:name|path) of(?![\p{L}])/iu.test(question)) return false
  if (listed.length === 0 || (listed.length === 1 && !/^(?:select|choose|pick)(?![\p{L}])/iu.test(question)))
    return false
  if (/^[\w.-]+[>#$%]$/u.test(question) && listed.every(({ key }) => key.length > 1 && !/^\d/u.test(key))) return false
  // A shell takes commands, whatever it printed.
  if (/^[\w.:~@-]+[#$%]$/u.test(question)) return false
  // A debugger lists lines of code.
  if (
    /^[\w-]+[>#$%]$/u.test(question) &&
    !parts.near.some((line) => selectWords.test(line)) &&
    !selectWords.test(question) &&
    listsCode(listed)
  )
    return false
  // What stands above is a text somebody reads or writes, whatever its lines begin with.
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

const isYesNoQuestion = (parts: Parts): boolean => {
  const { question } = parts
  if (parts.inline.length === 0 && (namesField(question) || /\[\s?\]\s*[:?]?$/u.test(question))) return false
  if (fewNumbers.test(question) && !/\p{L}/u.test(withoutBrackets(question))) return false
  // `Cut the deck? (0 <= n <= 51)`, `comments?`
  if (/[([]\s*\d+\s*<=?\s*\w/u.test(question) || /^(?!yes)\p{L}+s\s?\?$/iu.test(question)) return false
  if (typeYes.test(question) || parts.near.slice(-4).some((line) => /only ["'‘“]?yes["'’”]? will/iu.test(line)))
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
  // `Shares to buy?`
  if (/^(?:(?:number|name)s? )?\p{L}+s to \p{L}+\s*\?$/iu.test(plain)) return false
  if (/^(?:start|end)\s*\?$/iu.test(plain)) return false
  if (/^your \p{L}+\s*\?$/iu.test(plain)) return false
  return !whWords.test(firstWords(plain)) && !fieldStart.test(plain) && !secretWords.test(plain)
}

/** Can only be answered by yes or no, however it ends. */
const surely =
  /^(?:are you (?:\p{L}+ )?(?:sure|certain)|(?:do|would) you (?:really )?(?:want|wish|like) to|shall (?:i|we)|ok(?:ay)? to)(?![\p{L}])/iu

/** "May I have your name?" wants the name. */
const asksPolitely =
  /^(?:may|can|could) (?:i|we) (?:have|get|ask|know)(?![\p{L}])|^(?:can|could|would) you (?:please )?(?:tell|give|name|enter|provide|describe|specify)(?![\p{L}])/iu

/** `Release name?`, `Config file?`: a thing is asked for, and nothing to be done with it. */
const namesField = (question: string): boolean => {
  const words = withoutEnd(withoutBrackets(question)).split(' ')
  if (!endsAsQuestion(question) || words.length > 3 || doing.test(words[0] ?? '')) return false
  return fieldStart.test(words.at(-1) ?? '') || pathWords.test(words.at(-1) ?? '')
}

const doing =
  /^(?:add|accept|allow|append|apply|back|change|clear|close|copy|create|delete|discard|download|drop|edit|erase|export|fetch|forget|format|generate|hide|ignore|import|include|insert|install|keep|load|lock|make|merge|mount|move|new|open|overwrite|print|purge|quit|read|really|reload|remove|rename|replace|reset|restore|save|send|set|show|skip|sort|store|sync|truncate|unlink|update|upload|use|view|wipe|write|really|sure)$/iu

const lastSentence = (text: string): string => text.split(/(?<=[\p{L}\d)'"]{2}[.!])\s+(?=\p{Lu})/u).at(-1) ?? text

const firstWords = (question: string): string =>
  /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/u.test(question)
    ? question
    : withoutBrackets(question)
        .split(/[\s,]+/u)
        .slice(0, 3)
        .join(' ')

const isPath = (parts: Parts): boolean => {
  const plain = withoutBrackets(parts.question)
  if (
    /(?<![\p{L}])(?:pattern|regex|glob|extension|(?:type|format|size|length|kind|mode|permission|owner|encoding)s? of)s?(?![\p{L}])/iu.test(
      plain,
    )
  )
    return false
  if (/^(?:destination|output|(?:log|save|write|export) to|input \[stdin\])\s*(?:\[[^\]]*\])?:$/iu.test(parts.question))
    return true
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

/** `Share [1/2]:`: the first of two, and no answer. */
const isCount = ({ question, listed }: Parts): boolean =>
  /^(?!.*\?)\p{L}+(?: \p{L}+)? [([]\d{1,2}\/\d{1,2}[)\]]\s?:$/u.test(question) &&
  listed.length === 0 &&
  !selectWords.test(question)

/** `Type "help" to list all commands`, `Enter ? for list of commands` */
const offersCommands =
  /(?:list (?:of |all )?(?:the )?(?:available )?commands)|type ['"`‘“]?help['"`’”]?(?![\p{L}])|['"`‘“?]help['"`’”] for/iu

const isPicker = (found: Found): boolean => /^\s*\d+\/\d+(?: \(\d+\))?(?:\s|$)/u.test(found.above.at(-1) ?? '')

export const kindOf = (found: Found, parts: Parts): PromptType => {
  const { question, inline } = parts
  const menu = found.menu === null ? null : menuKind(found.menu, question)
  if (menu === 'choice' || menu === 'yes_no' || menu === 'path') return menu
  if (found.secretByMode && !pressKey.test(question) && inline.length < 2) return 'password'
  if (pressYes.test(question)) return 'yes_no'
  if (asksForSecret(parts)) return 'password'
  if (inline.length >= 2 && !isCount(parts)) return agrees(inline) ? 'yes_no' : 'choice'
  if (isPicker(found)) return 'choice'
  if (isPager(question) || (found.fullScreen && /^[^\s:?]+\.[^\s:?]+:$/u.test(question))) return 'command'
  if (
    /^\S{0,20}[:>]$/u.test(question) &&
    !fieldStart.test(question) &&
    found.above.slice(-8).some((line) => offersCommands.test(line))
  )
    return 'command'
  if (picksListed(parts, found.fullScreen)) return agrees(parts.listed) ? 'yes_no' : 'choice'
  if (typeYes.test(question) && /[-=]+>$/u.test(question)) return 'yes_no'
  if (/^\s*[➜λ]\s+\S/u.test(found.text) && !/[?:]$/u.test(question)) return 'command'
  if (isCommandPrompt(question, found.above, found.program)) return bodyOrCommand(found, parts)
  if (typeYes.test(question)) return 'yes_no'
  if (pressKey.test(question))
    return parts.listed.length >= 2 || /select(?:ion)?|number/iu.test(question) ? 'choice' : 'text'
  if (isYesNoQuestion(parts)) return 'yes_no'
  if (selectWords.test(question) && wantsNumbers.test(parts.near.at(-1) ?? '')) return 'choice'
  if (
    picksOne.test(withoutEnd(withoutBrackets(question))) ||
    (selectWords.test(question) && /^\d{1,2}$/u.test(parts.fallback ?? ''))
  )
    return 'choice'
  if (
    fewNumbers.test(question) &&
    !/number of/iu.test(question) &&
    (selectWords.test(question) || whWords.test(firstWords(question)) || !/\p{L}/u.test(withoutBrackets(question)))
  )
    return 'choice'
  if (isPath(parts)) return 'path'
  if (found.fullScreen && !/[:：?？>)]\s*$/u.test(question) && menu === null) return 'command'
  return 'text'
}

/** An empty line under a filled-in header is the body of a message, not a command. */
const bodyOrCommand = (found: Found, parts: Parts): PromptType => {
  if (parts.question !== '' || found.fullScreen) return 'command'
  return /^(?:subject|betreff|objet|asunto|cc|bcc|to|件名|主题)\s?[:：]\s\S/iu.test(found.above.at(-1) ?? '')
    ? 'text'
    : 'command'
}
