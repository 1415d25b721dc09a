import { endsAsQuestion, withoutBrackets, withoutEnd } from '../question.ts'
import { auxiliaryStart, fieldStart, typeYes, whWords } from '../words/ask.ts'
import { pathWords } from '../words/path.ts'
import { secretWords } from '../words/secret.ts'
import { isNo, isYes, isYesOrNoWord } from '../words/yes-no.ts'
import { fewNumbers, firstWords, type Parts } from './parts.ts'

/** It is answered by yes or no, though it does not list them. */
export const isYesNoQuestion = (parts: Parts): boolean => {
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

/** Can only be answered by yes or no, however it ends. */
const surely =
  /^(?:(?:continue|proceed|go on)(?: \p{L}+ing| anyway)?(?=\s*\?)|are you (?:\p{L}+ )?(?:sure|certain)|(?:do|would) you (?:really )?(?:want|wish|like) to|shall (?:i|we)|ok(?:ay)? to)(?![\p{L}])/iu

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
  /^(?:add|accept|allow|append|apply|back|cancel|change|clear|close|copy|create|delete|discard|download|drop|edit|erase|export|fetch|forget|format|generate|hide|ignore|import|include|insert|install|keep|load|lock|make|merge|mount|move|new|open|overwrite|print|purge|quit|read|really|reload|remove|rename|replace|reset|restore|save|send|set|show|skip|sort|store|sync|truncate|unlink|update|upload|use|view|wipe|write|really|sure)$/iu

/** A name is not what is asked for. */
const withoutNames = (text: string): string => text.replaceAll(/['"‘“`][^'"’”`]{1,200}['"’”`]/gu, ' ')

const lastSentence = (text: string): string =>
  text.split(/(?<=[\p{L}\d)'"]{2}[.!])\s+(?=\p{Lu})|(?<=\p{L});\s+/u).at(-1) ?? text
