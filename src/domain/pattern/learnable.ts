import type { InputSource, PromptType } from '../terminal/schema.ts'
import { normalisePrompt } from './normalise.ts'
import { redacted } from './schema.ts'
import { looksSecret } from './secret-text.ts'
import { understand } from '../terminal/detect/understand/understand.ts'

export type AskedPrompt = { promptText: string; promptType: PromptType; secret: boolean; dangerous: boolean }
export type TypedInput = AskedPrompt & { inputText: string; source: InputSource; userId: string | null }

/** Longer ones are texts, not answers, and exceed what an index takes. */
export const longestResponse = 500

/** Longer ones are screens, not questions. */
export const longestQuestion = 2000

// A one-word answer from a list reveals nothing, whatever the question is about.
const picked: ReadonlySet<PromptType> = new Set(['yes_no', 'choice'])

export const isSecretPrompt = ({ promptText, promptType, secret }: AskedPrompt): boolean =>
  secret ||
  promptType === 'password' ||
  (!picked.has(promptType) && understood(promptText.slice(-longestQuestion)).secret)

export const isSecretInput = (typed: TypedInput): boolean =>
  isSecretPrompt(typed) || typed.inputText === redacted || looksSecret(typed.inputText)

export const isDangerousPrompt = ({ promptText, dangerous }: AskedPrompt): boolean =>
  dangerous || understood(promptText.slice(-longestQuestion)).dangerous

/** Why nothing may be learned from a question. */
export function neverLearned(asked: AskedPrompt): string | null {
  if (asked.promptText.length > longestQuestion)
    return `prompts of more than ${longestQuestion} characters are never learned`
  if (isSecretPrompt(asked)) return 'secret answers are never learned'
  return isDangerousPrompt(asked) ? 'dangerous prompts are never learned' : null
}

/** Whether an answer can be part of a pattern. */
export const isResponse = (text: string): boolean =>
  text.length <= longestResponse && !/\p{Cc}/u.test(text) && text.isWellFormed() && text !== redacted

/** Only what a person typed visibly at a harmless question. */
export const mayLearn = (typed: TypedInput): boolean =>
  typed.source === 'user_typed' &&
  typed.userId !== null &&
  typed.promptText.length <= longestQuestion &&
  !isSecretInput(typed) &&
  !isDangerousPrompt(typed) &&
  isResponse(typed.inputText) &&
  normalisePrompt(typed.promptText) !== ''

/**
 * A last check of the text before anything is learned or typed. The watch of the screen knows more; this is the second
 * check, and the only one for prompts that an agent reported or a file contains.
 */
export function understood(promptText: string): Meaning {
  // Each prompt is checked several times in a row, and an import has many thousands.
  if (last?.promptText !== promptText) last = { promptText, meaning: look(promptText) }
  return last.meaning
}

type Meaning = { readonly secret: boolean; readonly dangerous: boolean }

let last: { promptText: string; meaning: Meaning } | undefined

function look(promptText: string): Meaning {
  const lines = promptText.split('\n').map((line) => line.trimEnd())
  const text = promptText.trimEnd()
  const { secret, dangerous } = understand({
    text,
    line: lines.at(-1) ?? '',
    above: lines.slice(-31, -1),
    menu: null,
    fullScreen: false,
    secretByMode: false,
    canonical: null,
    program: null,
  })
  return { secret, dangerous }
}
