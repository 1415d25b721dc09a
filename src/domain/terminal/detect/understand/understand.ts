import type { Choice, Prompt } from '../../verdict.ts'
import { askedLine, withoutName } from './asked-line.ts'
import { dangerOf } from './danger/danger.ts'
import { namedDefault } from './default-answer.ts'
import type { Found } from './found.ts'
import { kindOf } from './kind/kind.ts'
import type { Parts } from './kind/parts.ts'
import { asksForSecret } from './kind/secret.ts'
import { listedOptions } from './listed.ts'
import { plainMenu, withoutButtons } from './menu.ts'
import { continuedOptions, inlineOptions, type Option } from './options.ts'
import { ownLines } from './own-lines.ts'
import { patternOf } from './pattern.ts'
import { plainLine, questionOf } from './question.ts'
import { suggestedInputs } from './suggest.ts'
import { isNo, isYes } from './words/yes-no.ts'

export type { Found } from './found.ts'

/** Whatever a program prints, understanding it stays cheap. */
const longestLine = 300

/** What a prompt asks for, what may be answered, and what an answer could do. */
export const understand = (seen: Found): Omit<Prompt, 'text'> => {
  const shown = stands(seen) ? '' : questionOf(seen.text)
  const plain = withoutName(shown, aboveOf(seen, shown))
  const { question, above } = isPaged(seen) ? plain : askedLine(plain.question, plain.above)
  const found = { ...seen, above }
  const own = ownLines(found.above)
  const inline = optionsOf(question, own.near.at(-1) ?? '')
  const { options: listed, distance, prose } = listedOptions(found.above)
  const parts: Parts = {
    question,
    inline,
    listed,
    distance,
    prose,
    fallback: namedDefault(question, lettersOf(inline)),
    near: own.near,
    answered: own.answered,
  }
  const type = kindOf(found, parts)
  const drawn = found.menu !== null && (type === 'choice' || type === 'yes_no' || type === 'path')
  const choices = drawn ? menuChoices(found) : type === 'choice' || type === 'yes_no' ? textChoices(parts) : []
  const chosen = choices.find((choice) => choice.isDefault)
  const fallback = chosen?.key ?? parts.fallback
  const around = type === 'password' ? ownLines(found.above, true) : own
  const danger = dangerOf({ type, question, own: around, choices, fallback })
  const dangerous = danger !== null
  return {
    type,
    secret: type === 'password' || found.secretByMode || (type === 'text' && asksForSecret(parts)),
    choices,
    default: type === 'password' || type === 'command' ? null : fallback,
    dangerous,
    dangerReason: danger,
    suggestedInputs: suggestedInputs({ type, question, choices, fallback, dangerous, drawn }),
    matchedPattern: patternOf(found.text),
  }
}

/** A pager shows its colon at the edge, with the cursor right behind it; what stands above is the text it shows. */
const isPaged = ({ line }: Found): boolean => line === ':'

/** A stand-in for a prompt that shows nothing: `[cat]`. */
const stands = ({ text, line }: Found): boolean => /^\[[^\]]*\]$/u.test(text.trim()) && !line.includes(text.trim())

/** The lines above the question, of bounded length; a drawn question may itself stand above the cursor. */
const aboveOf = ({ above, menu }: Found, question: string): string[] => {
  const lines = above.slice(-30).map((line) => line.slice(0, longestLine).trimEnd())
  const start = question.slice(0, 40)
  const at = menu === null || start.length < 6 ? -1 : lines.findLastIndex((line) => plainLine(line).includes(start))
  return at === -1 ? lines : lines.slice(0, at)
}

const optionsOf = (question: string, before: string): Option[] => {
  const continued = continuedOptions(before, question)
  return continued.length >= 2 ? continued : inlineOptions(question)
}

/** Keys that are letters of a word, `(s)kip`: in brackets they are no default. */
const lettersOf = (options: readonly Option[]): string[] =>
  options.filter((option) => option.label !== option.key).map((option) => option.key)

const menuChoices = (found: Found): Choice[] =>
  withoutButtons(plainMenu(found.menu ?? [])).map(({ key, label, selected }) => ({
    key: key ?? label,
    label,
    selected,
    isDefault: selected,
  }))

/** The keys the question names, explained by the list above it where there is one. */
const textChoices = ({ inline, listed, fallback }: Parts): Choice[] => {
  const options: readonly Option[] = inline.length >= 2 ? inline.map((option) => explained(option, listed)) : listed
  return options.map((option) => {
    const isDefault = option.isDefault || (fallback !== null && matches(option, fallback, options))
    return { key: option.key, label: option.label, selected: false, isDefault }
  })
}

const explained = (option: Option, listed: readonly Option[]): Option => {
  const above = listed.find((item) => item.key === option.key)
  return option.label === option.key && above !== undefined
    ? { ...option, label: above.label, isDefault: option.isDefault || above.isDefault }
    : option
}

const matches = (option: Option, fallback: string, options: readonly Option[]): boolean => {
  if (options.some((each) => each.isDefault)) return false
  if (option.key === fallback || option.label === fallback) return true
  if (option.label.split(' ')[0] === fallback) return true
  const alike = option.key.slice(0, 1).toLowerCase() === fallback.slice(0, 1).toLowerCase()
  return alike && ((isYes(option.key) && isYes(fallback)) || (isNo(option.key) && isNo(fallback)))
}
