import { useQueryClient } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import type { SessionId } from '../../../src/domain/session/id.ts'
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
