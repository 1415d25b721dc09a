import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import type { SessionId } from '../../../src/domain/session/id.ts'
import { useClient } from '../../api/backend.tsx'
import { sessionQuery } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'
import { useSayFailed } from '../../ui/toasts.tsx'

type Act<T> = {
  /** What it was about, for the one who is told that it failed: `Not paused`. */
  failed: string
  run: (client: Client, input: T) => Promise<unknown>
  /** The session as it will be. */
  foresee?: (session: SessionDetail, input: T) => Partial<SessionDetail>
}

/** Something done to a session: shown at once, taken back with the reason where it is refused. */
export function useAct<T = void>(id: SessionId, { failed, run, foresee }: Act<T>) {
  const client = useClient()
  const queries = useQueryClient()
  const sayFailed = useSayFailed()
  const { queryKey } = sessionQuery(client, id)
  return useMutation({
    networkMode: 'always',
    mutationFn: (input: T) => run(client, input),
    onMutate(input) {
      const before = queries.getQueryData(queryKey)
      if (before && foresee) queries.setQueryData(queryKey, { ...before, ...foresee(before, input) })
      return { before }
    },
    onError(error, _input, kept) {
      if (kept?.before && foresee) queries.setQueryData(queryKey, kept.before)
      void queries.invalidateQueries({ queryKey })
      sayFailed(error, failed)
    },
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  })
}
