import { optionOf, verbOf } from '../domain/ask/answer-words.ts'
import type { Ask } from '../domain/ask/schema.ts'
import { exactLine } from './clean-text.ts'
import { formatJson } from './output.ts'

/** `Rejected (No, tell it what to do): too risky`: the option and its text. */
export function answerText(ask: Pick<Ask, 'answer' | 'subject'>): string | null {
  const { answer } = ask
  if (answer === null) return null
  const option = optionOf(ask)
  const name = option === null ? '' : ` (${exactLine(option.name)})`
  const said = saidWith(answer, ask.subject)
  return `${verbOf(ask)}${name}${said === '' ? '' : `: ${exactLine(said)}`}`
}

function saidWith(answer: NonNullable<Ask['answer']>, subject: Ask['subject']): string {
  if ('reason' in answer) return answer.reason ?? ''
  if ('instruction' in answer) return answer.instruction ?? ''
  if ('content' in answer) return formatJson(answer.content, false)
  const isSecret = subject.kind === 'terminal_prompt' && subject.secret
  return 'value' in answer && !isSecret ? answer.value : ''
}
