import { useQueryClient, useQuery } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import type { SessionId } from '../../../src/domain/session/id.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { sessionQuery } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'
import { useAction } from '../../api/use-action.ts'

type SessionAction<T> = {
  /** Message if it fails: `Not paused`. */
  failed: string
  run: (client: Client, input: T) => Promise<unknown>
  /** The expected session. */
  foresee?: (session: SessionDetail, input: T) => Partial<SessionDetail>
}

/** An action on a session: shown at once, reverted with the reason if it is refused. */
export function useSessionAction<T = void>(id: SessionId, { failed, run, foresee }: SessionAction<T>) {
  const client = useClient()
  const queries = useQueryClient()
  const { queryKey } = sessionQuery(client, id)
  return useAction((input: T) => run(client, input), {
    failed,
    stale: [queryKey],
    untilRead: true,
    foresee(input) {
      const before = queries.getQueryData(queryKey)
      if (!before || !foresee) return () => undefined
      queries.setQueryData(queryKey, { ...before, ...foresee(before, input) })
      return () => queries.setQueryData(queryKey, before)
    },
  })
}

const none: readonly Ask[] = []

/** Recent asks of the session, and the open ones, oldest first. */
export function useSessionAsks(id: SessionId): { asks: readonly Ask[]; open: readonly Ask[] } {
  const client = useClient()
  const lately = useQuery({
    queryKey: ['asks', id, 'lately'],
    queryFn: () => client.listAsks({ query: { sessionId: id, limit: 30 } }),
  })
  const waiting = useQuery({
    queryKey: ['asks', id, 'open'],
    queryFn: () => client.listAsks({ query: { sessionId: id, status: 'open', limit: 100 } }),
  })
  return { asks: lately.data?.asks ?? none, open: waiting.data?.asks.toReversed() ?? none }
}
