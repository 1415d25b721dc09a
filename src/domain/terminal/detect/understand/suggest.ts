import type { Choice, PromptType } from '../../verdict.ts'
import { pressKey, typeYes } from './words/ask.ts'
import { declines, isNo, isYes } from './words/yes-no.ts'

export type Suggesting = {
  type: PromptType
  question: string
  choices: readonly Choice[]
  fallback: string | null
  dangerous: boolean
  /** Entries are reached with arrows, not typed. */
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

/** What one would type, the most likely first; the safe answer first where the other would do harm. Empty text is Enter. */
export const suggestedInputs = (given: Suggesting): string[] => {
  const { type, question, choices, fallback, dangerous, drawn } = given
  if (type === 'password' || type === 'command' || type === 'unknown') return []
  if (drawn) {
    const selected = choices.find((choice) => choice.selected)
    const keyed = byChoice(given).filter((key) => choices.some((choice) => choice.key === key && key !== choice.label))
    if (keyed.length > 0) return keyed.slice(0, most)
    return selected !== undefined && (!dangerous || isSafe(selected)) ? [''] : []
  }
  if (type === 'yes_no') return yesNo(given)
  if (type === 'choice') return byChoice(given).slice(0, most)
  if (pressKey.test(question)) return ['']
  return fallback === null || dangerous ? [] : [fallback]
}
