import type { Answer } from '../../domain/ask/answer.ts'
import { outcomesOf } from '../../domain/ask/outcomes.ts'
import type { AskSubject } from '../../domain/ask/subject.ts'
import type { AskVerb } from './card-actions.ts'

/** What a button means. `needsText`: the person has to type something first. */
export function answerOf(
  subject: AskSubject,
  pressed: AskVerb | number,
): { answer: Answer } | { needsText: string } | null {
  if (typeof pressed === 'number') return optionAt(subject, pressed)
  if (!outcomesOf[subject.kind].includes(pressed)) return null
  switch (pressed) {
    case 'approve':
      return { answer: { outcome: 'approve', always: false, reason: null } }
    case 'reject':
    case 'stop':
    case 'decline':
      return { answer: { outcome: pressed, reason: null } }
    case 'continue':
      return { answer: { outcome: 'continue' } }
    case 'resume':
      return { answer: { outcome: 'resume', instruction: null } }
    case 'refine':
      return { needsText: 'What should the agent do instead?' }
    default:
      return pressed satisfies never
  }
}

function optionAt(subject: AskSubject, at: number): { answer: Answer } | null {
  if (subject.kind === 'permission') {
    const option = subject.options[at]
    return option ? { answer: { outcome: 'select', optionId: option.optionId, reason: null } } : null
  }
  if (subject.kind === 'question') {
    const option = subject.options[at]
    return option ? { answer: { outcome: 'reply', value: option.value } } : null
  }
  if (subject.kind === 'new_chat') {
    const group = subject.groups?.[at]
    return group ? { answer: { outcome: 'approve', always: false, reason: null, group: group.id } } : null
  }
  if (subject.kind === 'terminal_prompt') {
    const value = subject.suggestedInputs[at]
    return value === undefined || subject.secret ? null : { answer: { outcome: 'reply', value } }
  }
  return null
}
