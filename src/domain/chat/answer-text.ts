import type { Answer } from '../ask/answer.ts'

/** Words that need nothing after them: more words make it a message. */
const alone: Readonly<Record<string, Answer>> = {
  approve: { outcome: 'approve', always: false, reason: null },
  continue: { outcome: 'continue' },
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
