import { useMutation, useMutationState, useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useBackend, useClient } from '../../api/backend.tsx'
import { askQuery, inboxQuery } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { foreseen } from './foresee.ts'
import { isUnknown, untilKnown } from './lost-reply.ts'
import {
  arrivalOf,
  createAnswerKeys,
  newKey,
  unveiled,
  veiled,
  type Answer,
  type AnswerKeys,
  type Answering,
} from './sent-answers.ts'
import { useMe } from './use-names.ts'
import { isTakenBack, useTell } from './use-tell.ts'
import { rememberApproval } from './use-undo.ts'

export type { Answer } from './sent-answers.ts'

const mutationKey = ['answer'] as const

const allKeys = new WeakMap<QueryClient, AnswerKeys>()
function keysOf(queries: QueryClient): AnswerKeys {
  const keys = allKeys.get(queries) ?? createAnswerKeys(newKey)
  allKeys.set(queries, keys)
  return keys
}

/** Answers an ask. It is shown as answered at once, and as it was again where the server says no. */
export function useAnswer() {
  const client = useClient()
  const queries = useQueryClient()
  const tell = useTell()
  const find = useFindOut()
  const keys = keysOf(queries)
  const { mutate, mutateAsync, isPending } = useMutation({
    mutationKey,
    mutationFn(shown: Answering) {
      const key = keys.of(shown)
      const call = { params: { id: shown.ask.id }, body: unveiled(shown) }
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
    mutate: (given: Answering) => mutate(veiled(given)),
    mutateAsync: (given: Answering) => mutateAsync(veiled(given)),
  }
}

/** Says that it is not known, looks as soon as the server is reached, and then says which it is. */
function useFindOut(): (shown: Answering) => Promise<void> {
  const client = useClient()
  const { again } = useBackend()
  const queries = useQueryClient()
  const tell = useTell()
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

/** What the server said stands in every list before the events say it again. */
async function settle(queries: QueryClient, client: Client, after: Ask): Promise<void> {
  const { queryKey: inbox } = inboxQuery(client)
  await queries.cancelQueries({ queryKey: inbox })
  queries.setQueryData(askQuery(client, after.id).queryKey, after)
  if (after.status !== 'open')
    queries.setQueryData(inbox, (list) => {
      const items = list?.items.filter(({ key }) => key !== `ask:${after.id}`) ?? []
      return list && { items, total: list.total - (list.items.length - items.length) }
    })
  // What was broken off may have known of something new.
  void queries.invalidateQueries({ queryKey: inbox })
  if (isTakenBack(after)) rememberApproval(queries, after)
}

const mutating = { mutationKey: [...mutationKey] }

/** The answers that are on their way. */
export function useSending(): ReadonlyMap<string, Answer> {
  const sending = useMutationState({
    filters: { ...mutating, status: 'pending' },
    select: ({ state }) => state.variables as Answering | undefined,
  })
  return new Map(sending.flatMap((one) => (one ? [[one.ask.id, one.answer] as const] : [])))
}

/** Whether it was answered here, so that nobody has to be told about it. */
export const wasAnsweredHere = (queries: QueryClient, askId: string): boolean =>
  queries
    .getMutationCache()
    .findAll(mutating)
    .some(({ state }) => state.status !== 'error' && (state.variables as Answering | undefined)?.ask.id === askId)

/** The ask as it will be, while an answer is on its way. */
export function useForeseen(ask: Ask): Ask {
  const answer = useSending().get(ask.id)
  const me = useMe()
  return answer && ask.status === 'open' ? foreseen(ask, answer, me?.id ?? '', new Date().toISOString()) : ask
}
