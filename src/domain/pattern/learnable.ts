import type { InputSource, PromptType } from '../terminal/schema.ts'
import { normalisePrompt } from './normalise.ts'
import { redacted } from './schema.ts'
import { looksSecret } from './secret-text.ts'
import { understood } from './understood.ts'

export type Asked = { promptText: string; promptType: PromptType; secret: boolean; dangerous: boolean }
export type Typed = Asked & { inputText: string; source: InputSource; userId: string | null }

/** Longer ones are no answers but texts, and an index takes no more. */
export const longestResponse = 500

/** Longer ones are screens, not questions. */
export const longestQuestion = 2000

// What is answered by one word from a list gives nothing away, whatever the question is about.
const picked: ReadonlySet<PromptType> = new Set(['yes_no', 'choice'])

export const isSecretPrompt = ({ promptText, promptType, secret }: Asked): boolean =>
  secret ||
  promptType === 'password' ||
  (!picked.has(promptType) && understood(promptText.slice(-longestQuestion)).secret)

export const isSecretInput = (typed: Typed): boolean =>
  isSecretPrompt(typed) || typed.inputText === redacted || looksSecret(typed.inputText)

export const isDangerousPrompt = ({ promptText, dangerous }: Asked): boolean =>
  dangerous || understood(promptText.slice(-longestQuestion)).dangerous

/** Why nothing may be learned of a question, whoever answers it. */
export function neverLearned(asked: Asked): string | null {
  if (asked.promptText.length > longestQuestion)
    return `prompts of more than ${longestQuestion} characters are never learned`
  if (isSecretPrompt(asked)) return 'secret answers are never learned'
  return isDangerousPrompt(asked) ? 'dangerous prompts are never learned' : null
}

/** Whether an answer can stand in a pattern. */
export const isResponse = (text: string): boolean =>
  text.length <= longestResponse && !/\p{Cc}/u.test(text) && text.isWellFormed() && text !== redacted

/** Only what a person typed, in the open, at a question that is no trap. */
export const mayLearn = (typed: Typed): boolean =>
  typed.source === 'user_typed' &&
  typed.userId !== null &&
  typed.promptText.length <= longestQuestion &&
  !isSecretInput(typed) &&
  !isDangerousPrompt(typed) &&
  isResponse(typed.inputText) &&
  normalisePrompt(typed.promptText) !== ''
