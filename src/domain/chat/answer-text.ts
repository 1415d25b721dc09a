import type { Answer } from '../ask/answer.ts'
import type { AskSubject } from '../ask/subject.ts'

/** Words that need nothing after them: more words make it a message. */
const alone: Readonly<Record<string, Answer>> = {
  approve: { outcome: 'approve', always: false, reason: null },
  continue: { outcome: 'continue' },
}

type Question = Extract<AskSubject, { kind: 'question' }>

/** The answer that a text gives to a question: an option by its label, value or number, else the text itself. */
export function replyTo({ options, freeText }: Question, text: string): Answer | null {
  const said = text.trim()
  const same = (word: string) => word.trim().toLowerCase() === said.toLowerCase()
  const number = /^\d{1,3}$/.test(said) ? Number(said) : 0
  const chosen = options.find(({ label, value }) => same(label) || same(value)) ?? options[number - 1]
  if (chosen) return { outcome: 'reply', value: chosen.value }
  return freeText && said !== '' ? { outcome: 'reply', value: said } : null
}

/** The answer that a text in a chat gives; null if it is an ordinary message. */
export function answerIn(text: string): Answer | null {
  const [, word = '', rest = ''] = /^\s*([a-z]+)\b[\s:,.!–—-]*([^]*)$/i.exec(text) ?? []
  const more = rest.trim()
  const verb = word.toLowerCase()
  if (more === '' && Object.hasOwn(alone, verb)) return alone[verb] ?? null
  switch (verb) {
    case 'reject':
      return { outcome: 'reject', reason: more || null }
    case 'refine':
      return more === '' ? null : { outcome: 'refine', instruction: more }
    case 'stop':
      return { outcome: 'stop', reason: more || null }
    case 'resume':
      return { outcome: 'resume', instruction: more || null }
    default:
      return null
  }
}
