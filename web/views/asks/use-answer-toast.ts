import { useNavigate } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { ApiError } from '../../api/transport.ts'
import { paths } from '../../app/paths.ts'
import { clip, safeText } from '../../ui/safe-text.ts'
import { useToast, useFailureToast } from '../../ui/toasts.tsx'
import { allows, hasEdits } from './bulk-answer.ts'
import { outcomeLine, verbOf } from './outcome-text.ts'
import type { Arrival } from './sent-answers.ts'
import { useActorName } from './use-names.ts'
import { useUndo } from './use-undo.ts'

/** Approved, and the changes can be undone. */
export const canBeUndone = ({ subject, answer }: Ask): boolean =>
  subject.kind === 'diff'
    ? answer?.outcome === 'approve'
    : subject.kind === 'permission' && allows(subject, answer) && hasEdits(subject.toolCall)

type AnswerToast = {
  done(after: Ask, before: Ask): void
  /** Someone else answered first, it expired, or it is not allowed. */
  refused(error: unknown, ask: Ask): void
  /** The reply was lost. */
  unknown(ask: Ask): void
  foundOut(arrival: Arrival, now: Ask): void
}

/** Reports the result of an answer in a toast. */
export function useAnswerToast(): AnswerToast {
  const say = useToast()
  const sayFailed = useFailureToast()
  const who = useActorName()
  const navigate = useNavigate()
  const undo = useUndo()
  const look = ({ id }: Ask) => ({ label: 'View', run: () => void navigate({ to: paths.ask, params: { id } }) })
  const undoOf = (after: Ask) =>
    canBeUndone(after) ? { action: { label: 'Undo', run: () => undo.mutate(after) } } : null

  const tooLate = (over: Over, ask: Ask, key: object = {}) => {
    const line = outcomeLine({ ...over, subject: ask.subject, undoneAt: null }, who(over.answeredBy))
    const title = over.answeredBy === null ? 'Too late' : 'Already answered'
    say({ ...key, title, body: `${line}. Your answer was not used.`, bad: true, action: look(ask) })
  }

  return {
    done(after, before) {
      const key = 'answered'
      const body = clip(safeText(before.title), 120)
      if (after.status === 'open')
        return say({ key, title: 'You approved', body: `${body}: ${after.votes.length} of ${after.needed} so far.` })
      const title = verbOf(after)
      if (title.endsWith('always'))
        return say({
          key,
          title,
          body: 'If a rule fits, it is suggested under Policy. It applies once confirmed.',
          action: { label: 'See policy', run: () => void navigate({ to: paths.policy }) },
        })
      say({ key, title, body, ...undoOf(after) })
    },
    refused(error, ask) {
      if (error instanceof ApiError && error.status === 409 && isOver(error.details)) return tooLate(error.details, ask)
      sayFailed(error, `Not answered: ${named(ask)}`)
    },
    unknown(ask) {
      const title = 'Your answer may not have arrived'
      const body = `${named(ask)}: can’t reach the server; checking again soon.`
      say({ key: keyOf(ask), title, body, bad: true, ms: 0, action: look(ask) })
    },
    foundOut(arrival, now) {
      const key = keyOf(now)
      if (arrival === 'other') return tooLate(now, now, { key })
      if (arrival === 'not-arrived')
        return say({
          key,
          title: 'Your answer did not arrive',
          body: `${named(now)} is still open. Answer it again.`,
          bad: true,
          action: look(now),
        })
      const line = now.status === 'open' ? 'You approved' : outcomeLine(now, who(now.answeredBy))
      say({ key, title: 'Your answer arrived', body: `${named(now)}: ${line}.`, ...undoOf(now) })
    },
  }
}

const keyOf = ({ id }: Ask): string => `answer:${id}`
/** In quotes, because a title may end with its own punctuation. */
const named = ({ title }: Ask): string => `“${clip(safeText(title), 80)}”`

type Over = Pick<Ask, 'status' | 'answer' | 'answeredBy'>
const isOver = (details: unknown): details is Over => {
  const { status } = (details ?? {}) as { status?: unknown }
  return typeof status === 'string' && status !== 'open'
}
