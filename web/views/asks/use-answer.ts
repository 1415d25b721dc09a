import { useMutation, useMutationState, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useBackend, useClient } from '../../api/backend.tsx'
import { askQuery, inboxQuery } from '../../api/queries.ts'
import { type Client, ApiError } from '../../api/transport.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { paths } from '../../app/paths.ts'
import { clip, safeText } from '../../ui/safe-text.ts'
import { useToast, useFailureToast } from '../../ui/toasts.tsx'
import { isUnknown, untilKnown } from './lost-reply.ts'
import {
  arrivalOf,
  createAnswerKeys,
  newKey,
  withSecret,
  withoutSecret,
  type AskAnswer,
  type AnswerKeys,
  type PendingAnswer,
  type Arrival,
} from './sent-answers.ts'
import { useMe, useActorName } from './use-names.ts'
import { rememberApproval } from './use-undo.ts'
import { useUndoOffer } from './use-undo-offer.ts'
import { allows, hasEdits } from './bulk-answer.ts'
import { expectedAsk } from './expected-ask.ts'
import { reviews } from './review/use-review.ts'
import { outcomeLine, verbOf } from './outcome-text.ts'

export type { AskAnswer } from './sent-answers.ts'

const mutationKey = ['answer'] as const

const allKeys = new WeakMap<QueryClient, AnswerKeys>()
function keysOf(queries: QueryClient): AnswerKeys {
  const keys = allKeys.get(queries) ?? createAnswerKeys(newKey)
  allKeys.set(queries, keys)
  return keys
}

/** Answers an ask. It is shown as answered at once, and reverted if the server refuses. */
export function useAnswer() {
  const client = useClient()
  const queries = useQueryClient()
  const tell = useAnswerToast()
  const find = useFindOut()
  const keys = keysOf(queries)
  const { mutate, mutateAsync, isPending } = useMutation({
    mutationKey,
    mutationFn(shown: PendingAnswer) {
      const key = keys.of(shown)
      const call = { params: { id: shown.ask.id }, body: withSecret(shown) }
      return client.answerAsk(key === null ? call : { ...call, idempotencyKey: key })
    },
    onMutate: keepFocus,
    async onSuccess(after, { ask, quiet }) {
      keys.known(ask.id)
      if (after.status !== 'open') reviews.sent(ask.id)
      await settle(queries, client, after)
      if (!quiet) tell.done(after, ask)
    },
    onError(error, shown) {
      const { ask, quiet } = shown
      void queries.invalidateQueries({ queryKey: ['ask', ask.id] })
      void queries.invalidateQueries({ queryKey: ['inbox'] })
      if (isUnknown(error)) void find(shown)
      else {
        keys.known(ask.id)
        if (!quiet) tell.refused(error, ask)
      }
    },
  })
  return {
    isPending,
    mutate: (given: PendingAnswer) => mutate(withoutSecret(given)),
    mutateAsync: (given: PendingAnswer) => mutateAsync(withoutSecret(given)),
  }
}

/** Reports that the outcome is unknown, checks once the server is reachable, then reports the outcome. */
function useFindOut(): (shown: PendingAnswer) => Promise<void> {
  const client = useClient()
  const { again } = useBackend()
  const queries = useQueryClient()
  const tell = useAnswerToast()
  const me = useMe()
  return async (shown) => {
    const { ask } = shown
    tell.unknown(ask)
    try {
      const now = await untilKnown(() => client.getAsk({ params: { id: ask.id } }), again)
      const arrival = arrivalOf(now, shown, me?.id ?? '')
      if (arrival !== 'not-arrived') {
        keysOf(queries).known(ask.id)
        await settle(queries, client, now)
      }
      tell.foundOut(arrival, now)
    } catch (error) {
      tell.refused(error, ask)
    }
  }
}

/** The server's reply is put into every list before the event arrives. */
async function settle(queries: QueryClient, client: Client, after: Ask): Promise<void> {
  const { queryKey: inbox } = inboxQuery(client)
  await queries.cancelQueries({ queryKey: inbox })
  queries.setQueryData(askQuery(client, after.id).queryKey, after)
  if (after.status !== 'open')
    queries.setQueryData(inbox, (list) => {
      const items = list?.items.filter(({ key }) => key !== `ask:${after.id}`) ?? []
      return list && { items, total: list.total - (list.items.length - items.length) }
    })
  // A cancelled read may have had newer data.
  void queries.invalidateQueries({ queryKey: inbox })
  if (canBeUndone(after)) rememberApproval(queries, after)
}

const mutating = { mutationKey: [...mutationKey] }

/** Answers being sent. */
export function useSending(): ReadonlyMap<string, AskAnswer> {
  const sending = useMutationState({
    filters: { ...mutating, status: 'pending' },
    select: ({ state }) => state.variables as PendingAnswer | undefined,
  })
  return new Map(sending.flatMap((one) => (one ? [[one.ask.id, one.answer] as const] : [])))
}

/** Whether it was answered here, so no notice is needed. */
export const wasAnsweredHere = (queries: QueryClient, askId: string): boolean =>
  queries
    .getMutationCache()
    .findAll(mutating)
    .some(({ state }) => state.status !== 'error' && (state.variables as PendingAnswer | undefined)?.ask.id === askId)

/** The expected ask, while an answer is being sent. */
export function useExpectedAsk(ask: Ask): Ask {
  const answer = useSending().get(ask.id)
  const me = useMe()
  return answer && ask.status === 'open' ? expectedAsk(ask, answer, me?.id ?? '', new Date().toISOString()) : ask
}

/** Approved, and the changes can be undone. */
const canBeUndone = ({ subject, answer }: Ask): boolean =>
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
function useAnswerToast(): AnswerToast {
  const say = useToast()
  const sayFailed = useFailureToast()
  const who = useActorName()
  const navigate = useNavigate()
  const answered = useUndoOffer()
  const look = ({ id }: Ask) => ({ label: 'View', run: () => void navigate({ to: paths.ask, params: { id } }) })
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
      answered(after, { key, title, body }, canBeUndone(after))
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
      answered(now, { key, title: 'Your answer arrived', body: `${named(now)}: ${line}.` }, canBeUndone(now))
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
