import { queryOptions, useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { askQuery } from '../../api/queries.ts'
import { ApiError } from '../../api/transport.ts'
import type { Client } from '../../api/transport.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { paths } from '../../app/paths.ts'
import { clip, safeText } from '../../ui/safe-text.ts'
import { useToast, useFailureToast } from '../../ui/toasts.tsx'
import { canUndo } from './bulk-answer.ts'

const lastKey = ['last-approvals']

/** Approvals of this tab for the undo key, newest last. */
export const rememberApproval = (queries: QueryClient, ask: Ask): void => {
  queries.setQueryData<Ask[]>(lastKey, (before = []) => [...before.filter(({ id }) => id !== ask.id), ask].slice(-50))
}

const forget = (queries: QueryClient, ask: Ask): void => {
  queries.setQueryData<Ask[]>(lastKey, (before = []) => before.filter(({ id }) => id !== ask.id))
}

/** Nothing differs from before the approval, as far as it is known now. */
export type UndoState = 'ready' | 'nothing' | 'refused'

/** How often it is asked whether an agent has written what it was allowed to write, and for how long. */
const [lookEveryMs, lookForMs] = [2000, 60_000]

/** Whether an undo would change anything. Agents write files themselves, some later, some never. */
export const undoStateQuery = (client: Client, id: Ask['id']) =>
  queryOptions({
    queryKey: ['ask', id, 'undo'],
    queryFn: async (): Promise<UndoState> => {
      const { problem } = await client.undoAsk({ params: { id }, body: { check: true } })
      if (problem === null) return 'ready'
      if (problem.code === 'nothing_to_undo' || problem.code === 'apply_unfinished') return 'nothing'
      // Later changes are in the way: the undo itself says which, and what helps.
      return problem.code === 'undo_conflict' ? 'ready' : 'refused'
    },
    staleTime: 10_000,
  })

/** Null while unknown, or if its kind of answer changes nothing. */
export function useUndoState(ask: Ask, enabled = true): UndoState | null {
  const client = useClient()
  const answeredAt = Date.parse(ask.answeredAt ?? ask.createdAt)
  const { data } = useQuery({
    ...undoStateQuery(client, ask.id),
    enabled: enabled && canUndo(ask),
    refetchInterval: ({ state }) =>
      state.data === 'nothing' && Date.now() - answeredAt < lookForMs ? lookEveryMs : false,
  })
  return canUndo(ask) ? (data ?? null) : null
}

/** Undoes the changes of an approval and reports each file. */
export function useUndo() {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const sayFailed = useFailureToast()
  return useMutation({
    mutationKey: ['undo'],
    mutationFn: (ask: Ask) => client.undoAsk({ params: { id: ask.id }, body: {} }),
    onSuccess({ ask, restored }) {
      keepFocus()
      forget(queries, ask)
      queries.setQueryData(askQuery(client, ask.id).queryKey, ask)
      say({ key: 'answered', title: `Undone: ${clip(safeText(ask.title), 80)}`, body: restoredWords(restored) })
    },
    onError(error, ask) {
      const title = `Not undone: ${clip(safeText(ask.title), 80)}`
      if (!(error instanceof ApiError) || error.code !== 'nothing_to_undo') return sayFailed(error, title)
      void queries.invalidateQueries({ queryKey: ['ask', ask.id] })
      say({ title, body: `${error.message} Undo it once the agent has written the files.`, bad: true })
    },
  })
}

const restoredWords = (restored: readonly { path: string; outcome: 'restored' | 'removed' }[]): string => {
  const named = (outcome: string) => restored.filter((one) => one.outcome === outcome).map(({ path }) => safeText(path))
  const part = (word: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${word} ${clip(paths.join(', '), 200)}`]
  const words = [...part('Restored:', named('restored')), ...part('Removed:', named('removed'))].join('. ')
  return words === '' ? 'Nothing was left to restore.' : `${words}.`
}

/**
 * Undoes the ask at `shown`, else the last approval of this tab. If there is neither, it leads to the last of yours that can be undone:
 * what another tab or another day changed is seen before it is undone.
 */
export function useUndoLast(shown: string | null = null): () => void {
  const client = useClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const undo = useUndo()
  const say = useToast()
  const sayFailed = useFailureToast()
  const earlier = async () => {
    const found = await findUndoable(client)
    if (found === null) say({ title: 'Nothing to undo', body: 'None of your latest answers can be undone.' })
    else await navigate({ to: paths.ask, params: { id: found.id } })
  }
  return () => {
    const here = shown === null ? undefined : queries.getQueryData<Ask>(askQuery(client, shown).queryKey)
    const isReady = here !== undefined && queries.getQueryData(undoStateQuery(client, here.id).queryKey) === 'ready'
    const last = isReady && canUndo(here) ? here : queries.getQueryData<Ask[]>(lastKey)?.at(-1)
    if (last) undo.mutate(last)
    else earlier().catch((error: unknown) => sayFailed(error, 'Nothing undone'))
  }
}

/** How many answers are looked through, newest first. */
const lookBack = 20

async function findUndoable(client: Client): Promise<Ask | null> {
  const { user } = await client.getMe({})
  const { asks } = await client.listAsks({ query: { order: 'answered', answeredBy: user.id, limit: lookBack } })
  for (const ask of asks.filter(canUndo)) {
    const { problem } = await client.undoAsk({ params: { id: ask.id }, body: { check: true } })
    if (problem === null) return ask
  }
  return null
}
