import { useMutation, useMutationState, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { askQuery, inboxQuery } from '../../api/queries.ts'
import { ApiError, type Client } from '../../api/transport.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { paths } from '../../app/paths.ts'
import { clip, safeText } from '../../ui/safe-text.ts'
import { useSay, useSayFailed } from '../../ui/toasts.tsx'
import { foreseen } from './foresee.ts'
import { allows, hasEdits } from './grave.ts'
import { outcomeLine, verbOf } from './outcome-words.ts'
import { rememberApproval, useUndo } from './use-undo.ts'
import { useMe, useWho } from './use-names.ts'

export type Answer = NonNullable<Ask['answer']>
/** `quiet`: one of several, about which something is said together. */
export type Answering = { ask: Ask; answer: Answer; quiet?: boolean }

const mutationKey = ['answer'] as const

/** Answers an ask. It is shown as answered at once, and as it was again where the server says no. */
export function useAnswer() {
  const client = useClient()
  const queries = useQueryClient()
  const tellDone = useTellDone()
  const tellRefused = useTellRefused()
  return useMutation({
    mutationKey,
    // Without a connection it is said now; an answer that goes out some time later may not be meant any more.
    networkMode: 'always',
    mutationFn: ({ ask, answer }: Answering) => client.answerAsk({ params: { id: ask.id }, body: answer }),
    onMutate: keepFocus,
    async onSuccess(after, { ask, quiet }) {
      await settle(queries, client, after)
      if (isTakenBack(after)) rememberApproval(queries, after)
      if (!quiet) tellDone(after, ask)
    },
    onError(error, { ask, quiet }) {
      void queries.invalidateQueries({ queryKey: ['ask', ask.id] })
      void queries.invalidateQueries({ queryKey: ['inbox'] })
      if (!quiet) tellRefused(error, ask)
    },
  })
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
}

/** Approved, and what it changes can be taken back. */
const isTakenBack = ({ subject, answer }: Ask): boolean =>
  subject.kind === 'diff'
    ? answer?.outcome === 'approve'
    : subject.kind === 'permission' && allows(subject, answer) && hasEdits(subject.toolCall)

function useTellDone(): (after: Ask, before: Ask) => void {
  const say = useSay()
  const navigate = useNavigate()
  const undo = useUndo()
  return (after, before) => {
    const body = clip(safeText(before.title), 120)
    if (after.status === 'open')
      return say({
        key: 'answered',
        title: 'You consented',
        body: `${body}: ${after.votes.length} of ${after.needed} so far.`,
      })
    const title = verbOf(after)
    if (title.endsWith('always'))
      return say({
        key: 'answered',
        title,
        body: 'Where a rule fits it is proposed. It answers once somebody confirms it.',
        action: { label: 'See policy', run: () => void navigate({ to: paths.policy }) },
      })
    const action = isTakenBack(after) ? { label: 'Undo', run: () => undo.mutate(after) } : null
    say({ key: 'answered', title, body, ...(action && { action }) })
  }
}

/** Someone else was first, it is over, or it may not be. */
function useTellRefused(): (error: unknown, ask: Ask) => void {
  const say = useSay()
  const sayFailed = useSayFailed()
  const who = useWho()
  const navigate = useNavigate()
  return (error, ask) => {
    const action = { label: 'Look', run: () => void navigate({ to: paths.ask, params: { id: ask.id } }) }
    if (!(error instanceof ApiError))
      return say({
        title: `Not answered: ${named(ask)}`,
        body: 'The server was not reached. Try again.',
        bad: true,
        action,
      })
    if (error.status !== 409 || !isOver(error.details)) return sayFailed(error, `Not answered: ${named(ask)}`)
    const { status, answer, answeredBy } = error.details
    const line = outcomeLine({ status, answer, subject: ask.subject, undoneAt: null }, who(answeredBy))
    say({
      title: answeredBy === null ? 'Too late' : 'Someone was first',
      body: `${line}. Your answer was not used.`,
      bad: true,
      action,
    })
  }
}

const named = ({ title }: Ask): string => clip(safeText(title), 80)

type Over = Pick<Ask, 'status' | 'answer' | 'answeredBy'>
const isOver = (details: unknown): details is Over => {
  const { status } = (details ?? {}) as { status?: unknown }
  return typeof status === 'string' && status !== 'open'
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
