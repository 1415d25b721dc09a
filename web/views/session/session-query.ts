import { useQueryClient } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import type { SessionId } from '../../../src/domain/session/id.ts'
import { useClient } from '../../api/backend.tsx'
import { sessionQuery } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'
import { useAct } from '../../api/use-act.ts'

type SessionAct<T> = {
  /** What it was about, for the one who is told that it failed: `Not paused`. */
  failed: string
  run: (client: Client, input: T) => Promise<unknown>
  /** The session as it will be. */
  foresee?: (session: SessionDetail, input: T) => Partial<SessionDetail>
}

/** Something done to a session: shown at once, taken back with the reason where it is refused. */
export function useSessionAct<T = void>(id: SessionId, { failed, run, foresee }: SessionAct<T>) {
  const client = useClient()
  const queries = useQueryClient()
  const { queryKey } = sessionQuery(client, id)
  return useAct((input: T) => run(client, input), {
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
