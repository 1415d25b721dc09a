import type { InputSource, PromptType } from '../terminal/schema.ts'
import { normalisePrompt } from './normalise.ts'
import { redacted } from './schema.ts'
import { looksSecret } from './secret-text.ts'
import { understand } from '../terminal/detect/understand/understand.ts'

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

/**
 * A last look at the words before anything is learned or typed. Who watches the screen knows more and says so; this
 * stands behind them, and alone where a prompt comes from elsewhere: told by an agent, or read from a file.
 */
export function understood(promptText: string): Meaning {
  // Each prompt is asked about several times in a row, and many thousand prompts in an import.
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
