import type { Option } from '../options.ts'
import { withoutBrackets } from '../question.ts'

/** The parts of a prompt. */
export type PromptParts = {
  question: string
  inline: readonly Option[]
  listed: readonly Option[]
  /** The number of text lines between that list and the question. */
  distance: number
  prose: boolean
  fallback: string | null
  /** The lines that belong to the question, nearest last. */
  near: readonly string[]
  answered: string | null
}

/** The first words of a question; all of it in scripts without spaces. */
export const firstWords = (question: string): string =>
  /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/u.test(question)
    ? question
    : withoutBrackets(question)
        .split(/[\s,]+/u)
        .slice(0, 3)
        .join(' ')

/** `[1-5]`, `(0..3 or q)` */
export const fewNumbers = /[([]\d{1,2}\s?(?:-|\.{2,3})\s?\d{1,2}(?:[)\],]| or )/u
