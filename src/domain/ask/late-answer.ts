import { derivedId } from '../../lib/derived-id.ts'
import type { Result } from '../../lib/result.ts'
import type { MessageChange } from '../message/schema.ts'
import { decideQueue } from '../queue/decide.ts'
import type { QueueChange, QueueItem, QueueItemId } from '../queue/schema.ts'
import { takesSlot } from '../session/status.ts'
import { misfit, type Answer } from './answer.ts'
import type { AskChange } from './change.ts'
import type { AskFacts, AskState } from './state.ts'
import type { AskId } from './id.ts'

/** The session of an expired question. `item`: what the same person answered late before. */
export type LateFacts = {
  readonly session: Parameters<typeof decideQueue>[0] & object
  readonly item: QueueItem | undefined
}

/** One late answer per person: a second one is refused. */
export const lateItemId = (id: AskId, by: string): QueueItemId => derivedId<QueueItemId>(id, 'late answer', by)

const mostQuestion = 200

/** C5: the agent no longer waits for it, so a late answer is an ordinary message. Null if it can't be one. */
export function lateAnswer(
  { id, status, subject, sessionId }: AskState,
  answer: Answer,
  { late, by, noteId }: AskFacts,
): Result<(AskChange | MessageChange | QueueChange)[]> | null {
  if (status !== 'expired' || subject.kind !== 'question' || answer.outcome !== 'reply') return null
  if (!late || sessionId === null || late.item || !takesSlot(late.session.status)) return null
  if (misfit(subject, answer) !== null || answer.value.trim() === '') return null
  const question = subject.question.replaceAll(/\s+/g, ' ').trim()
  const shown = question.length > mostQuestion ? `${question.slice(0, mostQuestion)}…` : question
  const text = `A late answer to your question "${shown}":\n${answer.value}`
  const add = {
    type: 'queue.add' as const,
    id: lateItemId(id, by),
    sessionId,
    text,
    when: 'next' as const,
    waits: true,
  }
  return decideQueue(late.session, undefined, add, { by, noteId })
}
