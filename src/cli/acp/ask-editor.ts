import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk/unstable'
import type { Answer } from '../../domain/ask/answer.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { cleanText } from '../clean-text.ts'
import { fieldOf, textField } from '../json-fields.ts'
import { questionOf } from '../live/question.ts'
import { subjectText } from '../subject-text.ts'

const plain = (_style: unknown, text: string): string => text

/** What an editor shows for an ask, and the answer each of its options means; null if it can't be answered by a choice. */
export function editorRequest(
  ask: Ask,
  sessionId: string,
): { request: RequestPermissionRequest; answers: ReadonlyMap<string, Answer> } | null {
  const { subject } = ask
  if (subject.kind === 'elicitation') return null
  const { choices } = questionOf(subject)
  if (choices.length === 0) return null
  const answers = new Map<string, Answer>()
  const options: PermissionOption[] = choices.map(({ key, label, answer }) => {
    const given = answer('')
    answers.set(key, given)
    return { optionId: key, name: label.replace(/; a reason can follow$/, ''), kind: kindOf(given, subject) }
  })
  return { request: { sessionId, toolCall: toolCallOf(ask), options }, answers }
}

function toolCallOf(ask: Ask): RequestPermissionRequest['toolCall'] {
  const { subject } = ask
  if (subject.kind === 'permission') {
    const id = textField(subject.toolCall, 'toolCallId')
    const content = fieldOf(subject.toolCall, 'content')
    return {
      toolCallId: id ?? ask.id,
      title: ask.title,
      ...(Array.isArray(content) && { content: content as never }),
    }
  }
  const text = cleanText(subjectText(ask, plain).join('\n\n'))
  return { toolCallId: ask.id, title: ask.title, content: [{ type: 'content', content: { type: 'text', text } }] }
}

function kindOf(answer: Answer, subject: Ask['subject']): PermissionOption['kind'] {
  if (answer.outcome === 'select' && subject.kind === 'permission')
    return subject.options.find(({ optionId }) => optionId === answer.optionId)?.kind ?? 'allow_once'
  if (answer.outcome === 'approve') return answer.always ? 'allow_always' : 'allow_once'
  return answer.outcome === 'reject' || answer.outcome === 'stop' || answer.outcome === 'decline'
    ? 'reject_once'
    : 'allow_once'
}

/** The answer that was chosen; null if the editor withdrew the question. */
export const chosenAnswer = (
  { outcome }: RequestPermissionResponse,
  answers: ReadonlyMap<string, Answer>,
): Answer | null => (outcome.outcome === 'selected' ? (answers.get(outcome.optionId) ?? null) : null)
