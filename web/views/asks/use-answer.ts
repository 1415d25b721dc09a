import { useMutation, useMutationState, useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useBackend, useClient } from '../../api/backend.tsx'
import { askQuery, inboxQuery } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { expectedAsk } from './expected-ask.ts'
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
} from './sent-answers.ts'
import { useMe } from './use-names.ts'
import { canBeUndone, useAnswerToast } from './use-answer-toast.ts'
import { rememberApproval } from './use-undo.ts'

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
