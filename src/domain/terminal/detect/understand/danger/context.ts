import type { Choice, PromptType } from '../../../verdict.ts'
import type { OwnLines } from '../own-lines.ts'

/** A prompt, as its danger is judged. */
export type DangerContext = {
  type: PromptType
  question: string
  own: OwnLines
  /** The program that reads the terminal; null: unknown. */
  program: string | null
  choices: readonly Choice[]
  /** The answer of Enter alone; null if the prompt does not say. */
  fallback: string | null
}
