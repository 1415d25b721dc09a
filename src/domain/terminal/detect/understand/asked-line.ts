import { commandOn } from './own-lines.ts'
import { plainLine, questionOf, withoutBrackets } from './question.ts'
import { wantsNumbers } from './words/ask.ts'

/** The question, and the lines above it. */
export type AskedLine = { question: string; above: readonly string[] }

/** Where the answer is typed, and nothing more. */
const sign = /^(?:[>»›❯:?#-]|[=-]{1,2}>)$/u
const asks = /[?？:：]$/u

/** What is asked may stand on the line above the cursor's, or have begun there. */
export const askedLine = (question: string, above: readonly string[]): AskedLine => {
  const last = plainLine(above.at(-1) ?? '')
  const before = above.slice(0, -1)
  if (sign.test(question) && asksAbove(last, question)) return { question: questionOf(last), above: before }
  const goesOn = last.endsWith(',') && /,\s.*[?:]$/u.test(question)
  return goesOn ? { question: `${questionOf(last)} ${question}`, above: before } : { question, above }
}

const asksAbove = (line: string, mark: string): boolean => {
  if (!/\p{L}{2}/u.test(line) || commandOn(line) !== null || line.startsWith(`${mark} `)) return wantsNumbers.test(line)
  return asks.test(line) || asks.test(withoutBrackets(line)) || wantsNumbers.test(line)
}
