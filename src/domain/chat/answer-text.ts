import type { Answer } from '../ask/answer.ts'
import { outcomesOf } from '../ask/outcomes.ts'
import type { AskSubject } from '../ask/subject.ts'

/** Words that need nothing after them: more words make it a message. */
const approved = { outcome: 'approve' as const, always: false, reason: null }
const alone: Readonly<Record<string, Answer>> = {
  approve: approved,
  continue: { outcome: 'continue' },
}

const verbAndMore = /^\s*([a-z]+)\b[\s:,.!–—-]*([^]*)$/i

/** The answer that a text in a chat gives by its first word; null if it is an ordinary message. */
function answerIn(text: string): Answer | null {
  const [, word = '', rest = ''] = verbAndMore.exec(text) ?? []
  const more = rest.trim()
  const verb = word.toLowerCase()
  if (more === '' && Object.hasOwn(alone, verb)) return alone[verb] ?? null
  switch (verb) {
    case 'reject':
      return { outcome: 'reject', reason: more || null }
    case 'decline':
      return { outcome: 'decline', reason: more || null }
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

/** `exact`: it can't be meant for the agent; any other text answers a question that takes text. */
export type TextAnswer = { readonly answer: Answer; readonly exact: boolean }

/** The answer that a text in a chat gives to an ask; null if it is an ordinary message. */
export function answerTo(subject: AskSubject, text: string): TextAnswer | null {
  const said = answerIn(text)
  if (said && outcomesOf[subject.kind].includes(said.outcome)) return { answer: said, exact: true }
  const [, more] = /^(?:answer|reply)[\s:]([^]+)$/i.exec(text.trim()) ?? []
  const given = more?.replace(/^[\s:]+/, '')
  const words = given ?? text.trim()
  if (words === '') return null
  switch (subject.kind) {
    case 'question': {
      const option = chosen(words, subject.options, ({ label, value }) => [label, value])
      if (option) return { answer: { outcome: 'reply', value: option.value }, exact: true }
      if (!subject.freeText) return null
      return { answer: { outcome: 'reply', value: words }, exact: given !== undefined }
    }
    case 'permission': {
      const option = chosen(words, subject.options, ({ name, optionId }) => [name, optionId])
      return option ? { answer: { outcome: 'select', optionId: option.optionId, reason: null }, exact: true } : null
    }
    case 'new_chat': {
      // Not by its number: people see only the groups that are theirs.
      const group = (subject.groups ?? []).find(({ name }) => bare(name) === bare(words))
      return group ? { answer: { ...approved, group: group.id }, exact: true } : null
    }
    case 'terminal_prompt': {
      if (asksForSecret(subject)) return null
      const [, again] = /^confirm[\s:]+([^]+)$/i.exec(text.trim()) ?? []
      if (again !== undefined && subject.dangerous)
        return { answer: { outcome: 'reply', value: again, confirmed: true }, exact: true }
      if (given !== undefined) return { answer: { outcome: 'reply', value: words }, exact: true }
      // A dangerous prompt is answered on purpose, with `answer`.
      const input = subject.dangerous ? undefined : chosen(words, subject.suggestedInputs, (one) => [one])
      return input === undefined ? null : { answer: { outcome: 'reply', value: input }, exact: true }
    }
    default:
      return null
  }
}

/** Secrets are not for chats. */
export const asksForSecret = (subject: AskSubject): boolean => subject.kind === 'terminal_prompt' && subject.secret

/** By its name, or by its number from 1. */
function chosen<T>(words: string, options: readonly T[], namesOf: (option: T) => readonly string[]): T | undefined {
  const same = (name: string) => bare(name) === bare(words)
  const named = options.find((option) => namesOf(option).some(same))
  const [, number] = /^#?(\d{1,3})[.)]?$/.exec(words) ?? []
  return named ?? (number === undefined ? undefined : options[Number(number) - 1])
}

const bare = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/(?<![.!])[.!]+$/, '')
