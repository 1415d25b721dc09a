import type { Choice, Prompt, PromptType } from '../../verdict.ts'
import { askedLine, withoutName } from './asked-line.ts'
import type { DangerContext } from './danger/context.ts'
import { dangerOf } from './danger/danger.ts'
import type { PromptSource } from './prompt-source.ts'
import { kindOf } from './kind/kind.ts'
import type { PromptParts } from './kind/parts.ts'
import { asksForSecret } from './kind/secret.ts'
import { listedOptions } from './listed.ts'
import { plainMenu, withoutButtons } from './menu.ts'
import { continuedOptions, inlineOptions, type Option, bracketed, namesOptions } from './options.ts'
import { ownLines } from './own-lines.ts'
import { plainLine, questionOf } from './question.ts'
import { isNo, isYes, declines } from './words/yes-no.ts'
import { pressKey, typeYes } from './words/ask.ts'

export type { PromptSource } from './prompt-source.ts'

/** Limits the cost of any output. */
const longestLine = 300

/** A prompt with its parts, before its danger is judged. */
type Read = DangerContext & { found: PromptSource; parts: PromptParts; drawn: boolean }

/** What a prompt asks for, and the possible answers. */
export const readPrompt = (seen: PromptSource): Read => {
  const shown = stands(seen) ? '' : questionOf(seen.text)
  const plain = withoutName(shown, aboveOf(seen, shown))
  const { question, above } = isPaged(seen) ? plain : askedLine(plain.question, plain.above)
  const found = { ...seen, above }
  const own = ownLines(found.above)
  const inline = optionsOf(question, own.near.at(-1) ?? '')
  const { options: listed, distance, prose } = listedOptions(found.above)
  const parts: PromptParts = {
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
  return { type, question, own: around, program: found.program, choices, fallback, found, parts, drawn }
}

/** What a prompt asks for, the possible answers, and what an answer could do. */
export const understand = (seen: PromptSource): Omit<Prompt, 'text'> => {
  const read = readPrompt(seen)
  const { type, question, choices, fallback, found, parts, drawn } = read
  const danger = dangerOf(read)
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

/** A pager shows its colon in the first column with the cursor right after it; the lines above are its text. */
const isPaged = ({ line }: PromptSource): boolean => line === ':'

/** A placeholder for a prompt that shows nothing: `[cat]`. */
const stands = ({ text, line }: PromptSource): boolean =>
  /^\[[^\]]*\]$/u.test(text.trim()) && !line.includes(text.trim())

/** The lines above the question, of limited length; a drawn question may itself be above the cursor. */
const aboveOf = ({ above, menu }: PromptSource, question: string): string[] => {
  const lines = above.slice(-30).map((line) => line.slice(0, longestLine).trimEnd())
  const start = question.slice(0, 40)
  const at = menu === null || start.length < 6 ? -1 : lines.findLastIndex((line) => plainLine(line).includes(start))
  return at === -1 ? lines : lines.slice(0, at)
}

const optionsOf = (question: string, before: string): Option[] => {
  const continued = continuedOptions(before, question)
  return continued.length >= 2 ? continued : inlineOptions(question)
}

/** Keys that are letters of a word, such as `(s)kip`; the brackets do not mark a default. */
const lettersOf = (options: readonly Option[]): string[] =>
  options.filter((option) => option.label !== option.key).map((option) => option.key)

const menuChoices = (found: PromptSource): Choice[] =>
  withoutButtons(plainMenu(found.menu ?? [])).map(({ key, label, selected }) => ({
    key: key ?? label,
    label,
    selected,
    isDefault: selected,
  }))

/** The keys that the question names, explained by the list above it if there is one. */
const textChoices = ({ inline, listed, fallback }: PromptParts): Choice[] => {
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

const longest = 300

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)

/** A valid regular expression that matches the text, with any numbers and spacing. */
const patternOf = (text: string): string => {
  const whole = text.trim()
  const kept = whole.length > longest ? whole.slice(-longest).replace(/^[\udc00-\udfff]/u, '') : whole
  const parts = kept.split(/(\s+|\d+)/u).map((part) => {
    if (/^\s+$/u.test(part)) return String.raw`\s+`
    return /^\d+$/u.test(part) ? String.raw`\d+` : literal(part)
  })
  return `${kept === whole ? String.raw`^\s*` : ''}${parts.join('')}${String.raw`\s*$`}`
}

type Suggesting = {
  type: PromptType
  question: string
  choices: readonly Choice[]
  fallback: string | null
  dangerous: boolean
  /** Entries are chosen with arrow keys, not typed. */
  drawn: boolean
}

const most = 6

const isSafe = (choice: Choice): boolean => declines(choice.label) || isNo(choice.key)

const typedYes = (question: string): string | null => {
  const match = typeYes.exec(question)
  return match?.slice(1).find((group) => group !== undefined) ?? null
}

const wordOf = (fallback: string | null): string => (fallback !== null && /^(?:yes|no)$/iu.test(fallback) ? 'yes' : 'y')

const yesNo = ({ question, choices, fallback, dangerous }: Suggesting): string[] => {
  const yes =
    choices.find((choice) => isYes(choice.key) || isYes(choice.label))?.key ?? typedYes(question) ?? wordOf(fallback)
  const no = choices.find((choice) => isNo(choice.key) || isNo(choice.label))?.key ?? (yes.length > 1 ? 'no' : 'n')
  const safeFirst = dangerous || (fallback !== null && isNo(fallback))
  return safeFirst ? [no, yes] : [yes, no]
}

const byChoice = ({ choices, dangerous }: Suggesting): string[] => {
  const rank = (choice: Choice) => (dangerous && isSafe(choice) ? 0 : choice.isDefault || choice.selected ? 1 : 2)
  const sorted = choices.toSorted((one, two) => rank(one) - rank(two))
  return sorted.map((choice) => choice.key).filter((key) => key !== '')
}

/** Likely inputs, most likely first; if the prompt is dangerous, the safe answer first. Empty text is Enter. */
const suggestedInputs = (given: Suggesting): string[] => {
  const { type, question, choices, fallback, dangerous, drawn } = given
  if (type === 'password' || type === 'command' || type === 'unknown') return []
  if (drawn) {
    const selected = choices.find((choice) => choice.selected)
    const keyed = byChoice(given).filter((key) => choices.some((choice) => choice.key === key && key !== choice.label))
    if (keyed.length > 0) return keyed.slice(0, most)
    // An entry is chosen by its label: the arrow keys are pressed for it.
    if (selected !== undefined && type !== 'path') return byChoice(given).slice(0, most)
    return selected !== undefined && (!dangerous || isSafe(selected)) ? [''] : []
  }
  if (type === 'yes_no') return yesNo(given)
  if (type === 'choice') return byChoice(given).slice(0, most)
  if (pressKey.test(question)) return ['']
  return fallback === null || dangerous ? [] : [fallback]
}

const word = String.raw`default|standard(?:wert)?|vorgabe|par défaut|défaut|por defecto|predeterminado|padrão|predefinito|по умолчанию|默认(?:值)?|默認(?:值)?|既定値?|デフォルト|기본값`
const value = String.raw`["'‘“${'`'}]?([^\s"'’”${'`'},;)\]}）】]+)`
/** `default: x`, `default is x`, and inside brackets `(1,2, default 2)`. */
const named = new RegExp(
  String.raw`(?<![\p{L}-])(?:${word})\s*(?:is|ist|es|est|to|为|是|[=:：])\s*${value}|[([（【,，]\s*(?:${word})\s*[=:：]?\s*${value}`,
  'iu',
)

const hint =
  /^(?:e\.?g\.?|i\.?e\.?|eg,|for example|z\.\s?b\.|optional|required|hidden|empty|leave|press|hit|type|use|will|m for|\? for|no echo|not echoed|max|min|up to|y or n|none|(?:esc(?:ape)?|ctrl\S*|\^\S) |[<{])/iu

const isWhole = (inner: string, keys: readonly string[]): boolean =>
  !hint.test(inner.trim()) &&
  !namesOptions(inner) &&
  !keys.includes(inner.trim()) &&
  !/^$|\?$/u.test(inner.trim()) &&
  !/^[*#?\s…_.]{1,3}$/u.test(inner.trim())

/** The answer of Enter alone, if the prompt names it; else null. */
const namedDefault = (question: string, keys: readonly string[] = []): string | null => {
  const match = named.exec(question)
  const said = match?.[1] ?? match?.[2]
  if (said !== undefined) return said.replace(/[.)]$/u, '')
  const end = question.replace(/[\s:：?？>]+$/u, '')
  for (const span of bracketed(question).toReversed()) {
    const last = span.to >= end.length
    const square = question[span.from] === '['
    if (!isWhole(span.inner, keys)) continue
    const inner = span.inner.trim()
    if (isYes(inner) || isNo(inner)) return inner
    if (!last || /^\d+\s?[-–]\s?\d+(?:$|,)/u.test(inner) || inner.length > 200) continue
    if (square || roundDefault(inner, question, span.from)) return inner.replace(/,\s.*$/u, '')
  }
  return null
}

/** `(index.js)`, `(3072)` and `(/root/.ssh/id_rsa)` are defaults; `(full name)` is an explanation. */
const roundDefault = (inner: string, question: string, from: number): boolean =>
  from > 0 &&
  !inner.includes(' ') &&
  (/^[~./\\]|^\d+$|\.|^[A-Z]:\\/u.test(inner) || /[:?]\s*\($/u.test(question.slice(0, from + 1)))
